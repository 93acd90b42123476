import { type InputRequest, NacreError, parse, type RequestInputResult } from "@nacre/contracts";
import { type ControlRequest, type Payload, PAYLOADS } from "./control-request.ts";
import { execCommand, readSession, waitInSession } from "./output-operations.ts";
import {
  closeSession,
  createSession,
  type OperationContext,
  type OperationOutcome,
  resizeSession,
  resumeSession,
  rethrowAsClosed,
  writeSession,
} from "./session-operations.ts";

// Input requests for agents that only have files.

/** Default wait for a person; the question stays open longer. */
const DEFAULT_ASK_TIMEOUT_MS = 30_000;

/** Also reports the state of an earlier question. */
async function askPerson(
  { session_id, ask_id: requestId, withdraw, timeout_ms, ...asked }: Payload<"ask">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
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
      const message = "ask: <question> is missing, or give the ask_id of an earlier question";
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
  const {
    outcome,
    request,
    nobodyReads = false,
    text,
    by,
    note,
  } = await answer().catch(rethrowAsClosed(session));
  return {
    sessionId: session.id,
    result: {
      outcome,
      ask_id: request.requestId,
      kind: request.kind,
      nobody_reads: nobodyReads,
      answer: text ?? null,
      by: by ?? null,
      note: note ?? null,
    },
  };
}

/** Where only one question is open, it need not be named. */
async function answer(
  {
    session_id,
    terminal_id,
    ask_id,
    answer: text,
    decline = false,
    submit,
    note,
  }: Payload<"answer">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  if (terminal_id !== undefined && session_id !== undefined) {
    throw invalid("terminal_id", "excludes `session_id`");
  }
  const session = terminal_id === undefined ? await sessions.requireOpen(session_id) : undefined;
  const id = terminal_id ?? session?.terminalId;
  const reply = async () => {
    const { inputRequests: open = [] } = await call("readTerminal", { id });
    if ((text !== undefined) === decline) {
      throw invalid("answer", `say either \`answer\` or \`decline: true\`; ${listed(open)}`);
    }
    const requestId = ask_id ?? only(open);
    return await call("answerInput", {
      id,
      requestId,
      ...(text === undefined ? {} : { text }),
      ...(submit === undefined ? {} : { submit }),
      ...(note === undefined ? {} : { note }),
    });
  };
  const { outcome, request } = await (session ? reply().catch(rethrowAsClosed(session)) : reply());
  const { requestId, kind } = request;
  return { sessionId: session?.id ?? null, result: { outcome, ask_id: requestId, kind } };
}

function only(open: readonly InputRequest[]): string {
  const [first, ...others] = open;
  if (first && others.length === 0) return first.requestId;
  throw invalid("ask_id", `say which question is meant; ${listed(open)}`);
}

const listed = (open: readonly InputRequest[]): string =>
  open.length === 0
    ? "none is open"
    : `open: ${open.map(({ requestId, prompt }) => `${requestId} ${JSON.stringify(prompt)}`).join(", ")}`;

const invalid = (field: string, problem: string): NacreError =>
  new NacreError("invalid_argument", `${field}: ${problem}`, { field });

/** Changes nothing when refused. */
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
