// Operations on a whole session, and typing into it.
import { resolve } from "node:path";
import {
  decodeBytes,
  invalidArgument,
  NacreError,
  type OperationName,
  type OperationOutput,
  type TerminalId,
} from "@nacre/contracts";
import type { Operations } from "../../operations/operations.ts";
import type { Payload } from "./control-file-request.ts";
import { type ControlSession, type ControlSessions, sessionClosed } from "./control-sessions.ts";

const ENTER = "\r";

/** Becomes the current session. */
export async function createSession(
  { session_id, label, cwd, shell, cols, rows, env }: Payload<"create">,
  context: OperationContext,
): Promise<OperationOutcome> {
  if (!context.hasTerminals) {
    throw new NacreError("unsupported", "there are no terminals on this machine, only exec");
  }
  if ((cols === undefined) !== (rows === undefined)) {
    throw invalidArgument("cols", "give both `cols` and `rows`, or neither");
  }
  let size = { cols, rows };
  const session = await context.sessions.create(session_id, async (id) => {
    const terminal = await context.call("createTerminal", {
      name: label ?? id,
      workingDirectory: cwd && resolve(context.baseDirectory, cwd.trim()),
      shell,
      env,
      size: cols && { cols, rows },
    });
    size = { cols: terminal.cols, rows: terminal.rows };
    const now = Date.now();
    return {
      session_id: id,
      terminal_id: terminal.id,
      state: "open",
      label: label ?? null,
      cwd: terminal.cwd ?? terminal.workingDirectory,
      exit_code: null,
      created_at_ms: now,
      updated_at_ms: now,
      last_exec_at_ms: null,
      closed_at_ms: null,
      exec_count: 0,
      write_count: 0,
      read_count: 0,
      cursor: "0",
    };
  });
  context.handleSession(session.terminalId);
  const { terminal_id, cwd: directory } = session.record;
  const result = { state: "open", backend: "pty", terminal_id, cwd: directory, ...size };
  return { sessionId: session.id, result };
}

export async function resumeSession(
  { session_id }: Payload<"resume">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  const session = await sessions.require(session_id);
  await observeSession(session, call);
  if (!session.isOpen) throw sessionClosed(session);
  sessions.makeCurrent(session);
  return { sessionId: session.id, result: { state: "open" } };
}

/** Ends everything that runs in it; its output stays readable. */
export async function closeSession(
  { session_id, force }: Payload<"close">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  const session = await sessions.require(session_id);
  if (session.isClosedByAgent) throw sessionClosed(session);
  session.note({ closed_at_ms: Date.now() });
  try {
    await call("disposeTerminal", { id: session.terminalId, force });
  } catch (error) {
    // Its program ended by itself and left the list: already closed.
    if (!isTerminalGone(error)) {
      session.note({ closed_at_ms: null });
      throw error;
    }
  }
  // Nothing more is known of a terminal whose recording was removed.
  await observeSession(session, call).catch(ignoreGone);
  session.note({ state: "closed" });
  if (sessions.current === session) sessions.makeCurrent(undefined);
  const { exit_code } = session.record;
  return { sessionId: session.id, result: { state: "closed", exit_code } };
}

/** Becomes the current session. */
export async function writeSession(
  payload: Payload<"write">,
  context: OperationContext,
): Promise<OperationOutcome> {
  const bytes = encodeInput(payload);
  const { sessions, call } = context;
  const session = await sessions.requireOpen(payload.session_id);
  await session.inputs.run(async () => {
    const data = Buffer.from(bytes).toString("base64");
    const send = () =>
      call("sendInput", {
        id: session.terminalId,
        data,
        encoding: "base64",
        expects: payload.secret === true ? "secret" : undefined,
      }).catch(rethrowAsClosed(session));
    session.observe(await (endsLine(bytes) ? typeLine(session, context, send) : send()));
  });
  sessions.makeCurrent(session);
  session.note({ write_count: session.record.write_count + 1 });
  return { sessionId: session.id, result: { written: bytes.byteLength } };
}

/** Answers with the actual size. */
export async function resizeSession(
  { session_id, cols, rows }: Payload<"resize">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  const session = await sessions.requireOpen(session_id);
  const id = session.terminalId;
  const size = await session.inputs.run(() =>
    call("resizeTerminal", { id, cols, rows }).catch(rethrowAsClosed(session)),
  );
  return { sessionId: session.id, result: { ...size } };
}

export async function observeSession(
  session: ControlSession,
  call: OperationContext["call"],
): Promise<void> {
  session.observe(await call("readTerminal", { id: session.terminalId }));
}

export function ignoreGone(error: unknown): void {
  if (!isTerminalGone(error)) throw error;
}

export const rethrowAsClosed =
  (session: ControlSession) =>
  (error: unknown): never => {
    if (!isTerminalGone(error)) throw error;
    session.note({ state: "closed" });
    throw sessionClosed(session);
  };

/** Earlier events do not count after the line; a refused line changes nothing. */
export async function typeLine<Value>(
  session: ControlSession,
  { call, saveSessions }: OperationContext,
  type: () => Promise<Value>,
): Promise<Value> {
  const before = session.typedAfter;
  const newest = await readNewestSequence(session, call);
  session.typedAfter = newest;
  // A service killed while the line runs must not take an earlier command for this one afterwards.
  await saveSessions();
  try {
    return await type();
  } catch (error) {
    if (session.typedAfter === newest) session.typedAfter = before;
    throw error;
  }
}

const endsLine = (bytes: Uint8Array): boolean => bytes.includes(0x0d) || bytes.includes(0x0a);

/** A wait with no timeout returns the newest sequence. */
async function readNewestSequence(
  { terminalId: id }: ControlSession,
  call: OperationContext["call"],
) {
  const { sequence } = await call("waitFor", { id, until: [{ kind: "exit" }], timeoutMs: 0 });
  return sequence;
}

/** The terminal ended, or nothing is left of it. */
export const isTerminalGone = (error: unknown): boolean =>
  error instanceof NacreError && ["terminal_exited", "terminal_not_found"].includes(error.code);

function encodeInput({ command, input, data_b64, append_newline }: Payload<"write">): Uint8Array {
  const given = { command, input, data_b64 };
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  if (named.length !== 1) {
    throw invalidArgument(named[1]?.[0] ?? "input", "needs one of command, input, data_b64");
  }
  const isLine = append_newline ?? command !== undefined;
  const bytes = Buffer.concat([
    data_b64 === undefined ? decodeBytes({ data: command ?? input ?? "" }) : decodeBase64(data_b64),
    Buffer.from(isLine ? ENTER : ""),
  ]);
  if (bytes.byteLength > 0) return bytes;
  throw invalidArgument("input", "there is nothing to type");
}

function decodeBase64(data: string): Uint8Array {
  try {
    return decodeBytes({ data, encoding: "base64" });
  } catch (cause) {
    throw invalidArgument("data_b64", "it is not base64", { cause });
  }
}

export type ControlOperations = Pick<Operations, "call"> & Partial<Pick<Operations, "follow">>;

export interface OperationContext {
  readonly sessions: ControlSessions;
  /** For `exec` in a terminal of its own; generated when absent. */
  readonly terminalId?: TerminalId | undefined;
  /** Base of relative working directories. */
  readonly baseDirectory: string;
  readonly call: <Name extends OperationName>(
    name: Name,
    input: unknown,
  ) => Promise<OperationOutput<Name>>;
  /** Whether the machine has terminals; without them there is only `exec`. */
  readonly hasTerminals: boolean;
  /** A session began; its end is to be noticed. */
  readonly handleSession: (terminalId: string) => void;
  /** For the journal. */
  readonly saveSessions: () => Promise<void>;
}

export interface OperationOutcome {
  readonly sessionId: string | null;
  readonly result: Readonly<Record<string, unknown>>;
}
