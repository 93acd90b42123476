import { NacreError, parse } from "@nacre/contracts";
import type { ControlRequest } from "./control-request.ts";
import type { OperationContext, Outcome } from "./operation-context.ts";
import { exec, read, wait } from "./output-operations.ts";
import { PAYLOADS } from "./payloads.ts";
import { answer, ask } from "./question-operations.ts";
import { close, create, resize, resume, write } from "./session-operations.ts";

/** Does what a request asks for, or refuses and changes nothing. */
export async function runOperation(
  { operation, fields }: ControlRequest,
  context: OperationContext & { readonly hasTerminals: boolean },
): Promise<Outcome> {
  switch (operation) {
    case "create":
      if (!context.hasTerminals) {
        throw new NacreError("unsupported", "there are no terminals on this machine, only exec");
      }
      return await create(parse(PAYLOADS.create, fields), context);
    case "resume":
      return await resume(parse(PAYLOADS.resume, fields), context);
    case "close":
      return await close(parse(PAYLOADS.close, fields), context);
    case "write":
      return await write(parse(PAYLOADS.write, fields), context);
    case "read":
      return await read(parse(PAYLOADS.read, fields), context);
    case "resize":
      return await resize(parse(PAYLOADS.resize, fields), context);
    case "exec":
      return await exec(parse(PAYLOADS.exec, fields), context);
    case "wait":
      return await wait(parse(PAYLOADS.wait, fields), context);
    case "ask":
      return await ask(parse(PAYLOADS.ask, fields), context);
    case "answer":
      return await answer(parse(PAYLOADS.answer, fields), context);
  }
}
