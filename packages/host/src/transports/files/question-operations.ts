// What people are asked by an agent that has nothing but files.
import { NacreError, type RequestInputResult } from "@nacre/contracts";
import type { OperationContext, Outcome } from "./operation-context.ts";
import type { Payload } from "./payloads.ts";
import { asClosed } from "./session-operations.ts";

/** How long an agent waits for a person when it does not say; the question stands longer. */
const DEFAULT_ASK_TIMEOUT_MS = 30_000;

/** Asks people about a session, or tells what became of an earlier question. */
export async function ask(
  { session_id, ask_id: requestId, withdraw, timeout_ms, ...asked }: Payload<"ask">,
  { sessions, call }: OperationContext,
): Promise<Outcome> {
  const session = await sessions.requireOpen(session_id);
  const id = session.terminalId;
  const timeoutMs = timeout_ms ?? DEFAULT_ASK_TIMEOUT_MS;
  const { question: prompt, kind, choices, secret, expires_in_ms: expiresInMs } = asked;
  const answer = async (): Promise<RequestInputResult> => {
    if (requestId !== undefined) {
      if (withdraw === true) return await call("withdrawInput", { id, requestId });
      return await call("readInputRequest", { id, requestId, timeoutMs });
    }
    if (prompt === undefined) {
      const message = "question: say what is asked, or give the ask_id of an earlier question";
      throw new NacreError("invalid_argument", message, { field: "question" });
    }
    return await call("requestInput", {
      id,
      prompt,
      wait: true,
      timeoutMs,
      ...(kind === undefined ? {} : { kind }),
      ...(choices === undefined ? {} : { choices }),
      ...(secret === undefined ? {} : { secret }),
      ...(expiresInMs === undefined ? {} : { expiresInMs }),
    });
  };
  const { outcome, request, text, by, note } = await answer().catch(asClosed(session));
  return {
    sessionId: session.id,
    result: {
      outcome,
      ask_id: request.requestId,
      kind: request.kind,
      answer: text ?? null,
      by: by ?? null,
      note: note ?? null,
    },
  };
}
