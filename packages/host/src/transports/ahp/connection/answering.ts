import { errorText, type RequestId, responseText } from "../protocol/json-rpc.ts";
import { RPC_CODES, RpcError, rpcErrorOf } from "../protocol/rpc-error.ts";
import type { Outbox } from "./outbox.ts";
import type { Frame } from "./wire.ts";

/** Answers a request; at once, so that what happens later comes later. */
export interface Reply {
  (result: unknown): void;
  /** The same with a result that is JSON already. */
  json(result: Buffer): void;
}

/** What an answer needs. */
export interface AnsweringParts {
  readonly outbox: Pick<Outbox, "answer">;
  /** Something failed that the client cannot be told in full. */
  readonly handleProblem: (error: unknown) => void;
}

/** Does a request and answers it exactly once, whatever becomes of it. */
export async function answer(
  id: RequestId,
  { outbox, handleProblem }: AnsweringParts,
  work: (reply: Reply) => Promise<void> | void,
): Promise<void> {
  let isAnswered = false;
  const send = (makeFrame: () => Frame): void => {
    if (isAnswered) throw new Error("a request was answered twice");
    const frame = makeFrame();
    isAnswered = true;
    outbox.answer(frame);
  };
  const reply: Reply = Object.assign(
    (result: unknown): void => send(() => responseText(id, result)),
    { json: (result: Buffer): void => send(() => responseOf(id, result)) },
  );
  try {
    await work(reply);
    if (!isAnswered) throw new Error("a request was not answered");
  } catch (error) {
    const known = rpcErrorOf(error);
    if (!known || isAnswered) handleProblem(error);
    if (!isAnswered) send(() => errorText(id, known ?? fault()));
  }
}

/** The words for what is no mistake of the client; what really happened is in the log. */
const fault = (): RpcError =>
  new RpcError(RPC_CODES.internalError, "something went wrong in the host");

function responseOf(id: RequestId, result: Buffer): Buffer {
  const [before, after] = ['{"jsonrpc":"2.0","id":', "}"];
  const head = Buffer.from(`${before}${JSON.stringify(id)},"result":`);
  return Buffer.concat([head, result, Buffer.from(after)]);
}
