import { encodeErrorResponse, type JsonRpcId, encodeResponse } from "../protocol/json-rpc.ts";
import { RPC_CODES, JsonRpcError, toJsonRpcError } from "../protocol/rpc-error.ts";
import type { Outbox } from "./outbox.ts";
import type { MessageFrame } from "./wire.ts";

/** Answers a request; at once, so that what happens later comes later. */
export interface Responder {
  (result: unknown): void;
  /** The same with a result that is JSON already. */
  json(result: Buffer): void;
}

/** What an answer needs. */
export interface RespondDeps {
  readonly outbox: Pick<Outbox, "answer">;
  /** Something failed that the client cannot be told in full. */
  readonly handleProblem: (error: unknown) => void;
}

/** Does a request and answers it exactly once, whatever becomes of it. */
export async function respond(
  id: JsonRpcId,
  { outbox, handleProblem }: RespondDeps,
  work: (reply: Responder) => Promise<void> | void,
): Promise<void> {
  let isAnswered = false;
  const send = (makeFrame: () => MessageFrame): void => {
    if (isAnswered) throw new Error("a request was answered twice");
    const frame = makeFrame();
    isAnswered = true;
    outbox.answer(frame);
  };
  const reply: Responder = Object.assign(
    (result: unknown): void => send(() => encodeResponse(id, result)),
    { json: (result: Buffer): void => send(() => encodeRawResponse(id, result)) },
  );
  try {
    await work(reply);
    if (!isAnswered) throw new Error("a request was not answered");
  } catch (error) {
    const known = toJsonRpcError(error);
    if (!known || isAnswered) handleProblem(error);
    if (!isAnswered) send(() => encodeErrorResponse(id, known ?? internalError()));
  }
}

/** The words for what is no mistake of the client; what really happened is in the log. */
const internalError = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.internalError, "something went wrong in the host");

function encodeRawResponse(id: JsonRpcId, result: Buffer): Buffer {
  const [before, after] = ['{"jsonrpc":"2.0","id":', "}"];
  const head = Buffer.from(`${before}${JSON.stringify(id)},"result":`);
  return Buffer.concat([head, result, Buffer.from(after)]);
}
