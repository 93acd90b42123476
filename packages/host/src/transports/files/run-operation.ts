import { NacreError, parse } from "@nacre/contracts";
import type { ControlRequest } from "./control-request.ts";
import type { OperationContext, OperationOutcome } from "./operation-context.ts";
import { execCommand, readSession, waitInSession } from "./output-operations.ts";
import { PAYLOADS } from "./payloads.ts";
import { answer, askPerson } from "./question-operations.ts";
import {
  closeSession,
  createSession,
  resizeSession,
  resumeSession,
  writeSession,
} from "./session-operations.ts";

/** Does what a request asks for, or refuses and changes nothing. */
export async function runOperation(
  { operation, fields }: ControlRequest,
  context: OperationContext & { readonly hasTerminals: boolean },
): Promise<OperationOutcome> {
  switch (operation) {
    case "create":
      if (!context.hasTerminals) {
        throw new NacreError("unsupported", "there are no terminals on this machine, only exec");
      }
      return await createSession(parse(PAYLOADS.create, fields), context);
    case "resume":
      return await resumeSession(parse(PAYLOADS.resume, fields), context);
    case "close":
      return await closeSession(parse(PAYLOADS.close, fields), context);
    case "write":
      return await writeSession(parse(PAYLOADS.write, fields), context);
    case "read":
      return await readSession(parse(PAYLOADS.read, fields), context);
    case "resize":
      return await resizeSession(parse(PAYLOADS.resize, fields), context);
    case "exec":
      return await execCommand(parse(PAYLOADS.exec, fields), context);
    case "wait":
      return await waitInSession(parse(PAYLOADS.wait, fields), context);
    case "ask":
      return await askPerson(parse(PAYLOADS.ask, fields), context);
    case "answer":
      return await answer(parse(PAYLOADS.answer, fields), context);
  }
}
