import {
  type InputRequest,
  invalidArgument,
  parse,
  type RequestInputResult,
} from "@nacre/contracts";
import type { z } from "zod";
import { type ControlFileRequest, type Payload, PAYLOADS } from "./control-file-request.ts";
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
      const problem = "say what is asked, or give the ask_id of an earlier question";
      throw invalidArgument("question", problem);
    }
    return await call("requestInput", {
      id,
      prompt,
      wait: true,
      timeoutMs,
      kind,
      choices,
      secret,
      expiresInMs,
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
    throw invalidArgument("terminal_id", "excludes `session_id`");
  }
  const session = terminal_id === undefined ? await sessions.requireOpen(session_id) : undefined;
  const id = terminal_id ?? session?.terminalId;
  const reply = async () => {
    const { inputRequests: open = [] } = await call("readTerminal", { id });
    if ((text !== undefined) === decline) {
      throw invalidArgument(
        "answer",
        `say either \`answer\` or \`decline: true\`; ${listed(open)}`,
      );
    }
    const requestId = ask_id ?? only(open);
    return await call("answerInput", {
      id,
      requestId,
      text,
      submit,
      note,
    });
  };
  const { outcome, request } = await (session ? reply().catch(rethrowAsClosed(session)) : reply());
  const { requestId, kind } = request;
  return { sessionId: session?.id ?? null, result: { outcome, ask_id: requestId, kind } };
}

function only(open: readonly InputRequest[]): string {
  const [first, ...others] = open;
  if (first && others.length === 0) return first.requestId;
  throw invalidArgument("ask_id", `say which question is meant; ${listed(open)}`);
}

const listed = (open: readonly InputRequest[]): string =>
  open.length === 0
    ? "none is open"
    : `open: ${open.map(({ requestId, prompt }) => `${requestId} ${JSON.stringify(prompt)}`).join(", ")}`;

/** An operation that reads its own fields. */
const taking =
  <Schema extends z.ZodType>(
    schema: Schema,
    run: (payload: z.output<Schema>, context: OperationContext) => Promise<OperationOutcome>,
  ) =>
  (fields: unknown, context: OperationContext): Promise<OperationOutcome> =>
    run(parse(schema, fields), context);

const RUNS = {
  create: taking(PAYLOADS.create, createSession),
  resume: taking(PAYLOADS.resume, resumeSession),
  close: taking(PAYLOADS.close, closeSession),
  write: taking(PAYLOADS.write, writeSession),
  read: taking(PAYLOADS.read, readSession),
  resize: taking(PAYLOADS.resize, resizeSession),
  exec: taking(PAYLOADS.exec, execCommand),
  wait: taking(PAYLOADS.wait, waitInSession),
  ask: taking(PAYLOADS.ask, askPerson),
  answer: taking(PAYLOADS.answer, answer),
};

/** Changes nothing when refused. */
export async function runOperation(
  { operation, fields }: ControlFileRequest,
  context: OperationContext,
): Promise<OperationOutcome> {
  return await RUNS[operation](fields, context);
}
