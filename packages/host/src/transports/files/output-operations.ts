// Reading, waiting and executing.
import { resolve } from "node:path";
import {
  decodeBytes,
  invalidArgument,
  MAX_OUTPUT_BYTES,
  NacreError,
  type OutputPosition,
  type RunCommandResult,
  type WaitResult,
} from "@nacre/contracts";
import { readExcerptText, readText } from "../../base/text/output-text.ts";
import {
  DEFAULT_EXEC_TIMEOUT_MS,
  DEFAULT_READ_BYTES,
  DEFAULT_READ_TIMEOUT_MS,
  formatCursor,
  parseCursor,
  type Payload,
} from "./control-file-request.ts";
import type { ControlSession } from "./control-sessions.ts";
import {
  ignoreGone,
  observeSession,
  type OperationContext,
  type OperationOutcome,
  rethrowAsClosed,
  typeLine,
} from "./session-operations.ts";

type CallOperation = OperationContext["call"];

/** Errors are at the end of an output. */
const HEAD_SHARE = 0.4;

/** Entries in which the end is searched; four times as many while that is not enough. */
const LAST_ENTRIES = 8;

/** The output of a program that ended: all of it, or its beginning and its end. `cursor` goes on behind the beginning. */
async function readHeadAndTail(
  /** Markers of shells count in `totalBytes` and are not shown. */
  { id, maxBytes, totalBytes }: { id: string; maxBytes: number; totalBytes: number },
  call: CallOperation,
): Promise<OperationOutcome["result"]> {
  const isLong = totalBytes > maxBytes;
  const headBytes = isLong ? Math.floor(maxBytes * HEAD_SHARE) : maxBytes;
  const page = await call("readOutput", { id, position: { after: 0 }, maxBytes: headBytes });
  const head = decodeBytes(page);
  const result = {
    n: head.byteLength,
    data_b64: encodeBase64(head),
    eof: page.ended,
    cursor: formatCursor(page.position),
  };
  const { size } = page;
  const headText = readText(decodeText(head), { size, isFromStart: true });
  if (page.ended) return { ...result, text: headText, truncated: false };
  const tail = await readTail({ id, from: page.position, maxBytes: maxBytes - headBytes }, call);
  const omitted = Math.max(0, totalBytes - head.byteLength - tail.byteLength);
  const notice = `[${omitted} of ${totalBytes} bytes left out here: read terminal_id ${id} from cursor ${result.cursor}]`;
  return {
    ...result,
    tail_b64: encodeBase64(tail),
    text: `${headText.replace(/\n?$/, "\n")}${notice}\n${readText(decodeText(tail), { size })}`,
    truncated: true,
    omitted_bytes: omitted,
  };
}

interface TailRequest {
  readonly id: string;
  /** Where the shown head ended. */
  readonly from: OutputPosition;
  readonly maxBytes: number;
}

async function readTail({ id, from, maxBytes }: TailRequest, call: CallOperation): Promise<Buffer> {
  const until = [{ kind: "exit" }];
  const { sequence: last } = await call("waitFor", { id, until, timeoutMs: 0 });
  for (let entries = LAST_ENTRIES; ; entries *= 4) {
    const isAll = last - entries <= from.after;
    const start = isAll ? from : { after: last - entries };
    const tail = await readToEnd({ id, from: start, maxBytes }, call);
    if (isAll || tail.byteLength >= maxBytes) return tail;
  }
}

async function readToEnd(
  { id, from, maxBytes }: TailRequest,
  call: CallOperation,
): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  for (let position = from; ;) {
    const page = await call("readOutput", { id, position, maxBytes: MAX_OUTPUT_BYTES });
    tail = Buffer.concat([tail, decodeBytes(page)]).subarray(-maxBytes);
    if (page.ended || page.data === "") return tail;
    ({ position } = page);
  }
}

const decodeText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const encodeBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** An answer does not wait longer for the prompt behind a command. */
const PROMPT_MS = 200;

/** Reads output: from a cursor as often as wanted, without one what the agent has not read yet. */
export async function readSession(
  payload: Payload<"read">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  const { session_id, terminal_id, cursor } = payload;
  const maxBytes = payload.max_bytes ?? DEFAULT_READ_BYTES;
  const waitMs = payload.timeout_ms ?? DEFAULT_READ_TIMEOUT_MS;
  if (terminal_id !== undefined) {
    if (session_id !== undefined) {
      throw invalidArgument("terminal_id", "excludes `session_id`");
    }
    const position = parseCursor(cursor ?? "0");
    const page = await readPage({ id: terminal_id, position, maxBytes, waitMs }, call);
    return { sessionId: null, result: page.result };
  }
  const session = await sessions.require(session_id);
  const id = session.terminalId;
  const readFrom = async (position: OutputPosition) => {
    const page = await readPage({ id, position, maxBytes, waitMs }, call);
    if (page.result.eof) await observeSession(session, call);
    return page;
  };
  if (cursor !== undefined) {
    const { result } = await readFrom(parseCursor(cursor));
    return { sessionId: session.id, result };
  }
  const result = await session.reads.run(async () => {
    const page = await readFrom(session.position);
    session.moveTo(page.position);
    return page.result;
  });
  return { sessionId: session.id, result };
}

async function readPage(
  asked: { id: string; position: OutputPosition; maxBytes: number; waitMs: number },
  call: CallOperation,
) {
  const { position } = asked;
  const page = await call("readOutput", asked);
  const bytes = decodeBytes(page);
  const result = {
    n: bytes.byteLength,
    data_b64: encodeBase64(bytes),
    text: readText(decodeText(bytes), { size: page.size, isFromStart: position.after === 0 }),
    from: formatCursor(position),
    cursor: formatCursor(page.position),
    eof: page.ended,
    exit_code: page.exitCode ?? null,
    signal: page.signal,
    missed: page.missed || undefined,
    recording_blocked: encodeBlocked(page.recordingBlocked),
  };
  return { result, position: page.position };
}

export async function waitInSession(
  { session_id, until, text, cursor, timeout_ms }: Payload<"wait">,
  { sessions, call }: OperationContext,
): Promise<OperationOutcome> {
  if (text !== undefined && until !== "output") {
    throw invalidArgument("text", "goes only with `until` `output`");
  }
  const session = await sessions.require(session_id);
  const id = session.terminalId;
  if (until === "output" && text === undefined) {
    const result = await waitForAnyOutput(session, { cursor, timeout_ms }, call);
    return { sessionId: session.id, result };
  }
  const conditions = {
    output: { kind: "text", text },
    exit: { kind: "exit" },
    command_end: { kind: "commandEnd" },
    prompt: { kind: "prompt" },
    input_needed: { kind: "inputNeeded" },
  };
  const after = cursor === undefined ? findWaitStart(session, until) : parseCursor(cursor).after;
  const met = await call("waitFor", {
    id,
    until: [conditions[until]],
    after,
    timeoutMs: timeout_ms,
  });
  if (met.outcome === "commandEnd") session.waitedTo = Math.max(session.waitedTo, met.sequence);
  if (met.outcome === "exit") await observeSession(session, call);
  return { sessionId: session.id, result: encodeWaitResult(met, text) };
}

/** Unread output counts, else what came after the last typed line. */
function findWaitStart(
  session: ControlSession,
  until: Payload<"wait">["until"],
): number | undefined {
  switch (until) {
    case "output":
    case "exit":
      return session.position.after;
    case "command_end":
      return Math.max(session.waitedTo, session.typedAfter);
    case "prompt":
    case "input_needed":
      return session.typedAfter || undefined;
  }
}

/** Consumes nothing. */
async function waitForAnyOutput(
  session: ControlSession,
  { cursor, timeout_ms = DEFAULT_EXEC_TIMEOUT_MS }: Pick<Payload<"wait">, "cursor" | "timeout_ms">,
  call: CallOperation,
): Promise<OperationOutcome["result"]> {
  const position = cursor === undefined ? session.position : parseCursor(cursor);
  const page = await call("readOutput", {
    id: session.terminalId,
    position,
    maxBytes: 1,
    waitMs: timeout_ms,
  });
  const outcome = page.data !== "" ? "output" : page.ended ? "exit" : "timeout";
  return {
    outcome,
    timed_out: outcome === "timeout",
    cursor: formatCursor(position),
    recording_blocked: encodeBlocked(page.recordingBlocked),
  };
}

const OUTCOMES: Readonly<Partial<Record<WaitResult["outcome"], string>>> = {
  text: "output",
  commandEnd: "command_end",
  inputNeeded: "input_needed",
  recordingBlocked: "recording_blocked",
};

function encodeWaitResult(met: WaitResult, text: string | undefined): OperationOutcome["result"] {
  const { outcome, sequence, match, command, inputNeeded, recordingBlocked } = met;
  return {
    outcome: OUTCOMES[outcome] ?? outcome,
    timed_out: outcome === "timeout",
    cursor: formatCursor({ after: sequence }),
    match: text === undefined ? undefined : (match ?? null),
    command: command?.commandLine,
    exit_code: command && (command.exitCode ?? null),
    input_needed: inputNeeded?.kind,
    recording_blocked: encodeBlocked(recordingBlocked),
  };
}

/** Why nothing new can be seen. */
const encodeBlocked = (blocked: WaitResult["recordingBlocked"]): string | undefined =>
  blocked && `${blocked.message}. ${blocked.suggestion}`;

/** In a process of its own, or in the named session's shell. */
export async function execCommand(
  payload: Payload<"exec">,
  context: OperationContext,
): Promise<OperationOutcome> {
  const { session_id, use_current, command, argv } = payload;
  if ((command === undefined) === (argv === undefined)) {
    throw invalidArgument("command", "needs either `command` or `argv`");
  }
  if (session_id === undefined && !use_current) return await execAlone(payload, context);
  const odd = (["cwd", "argv", "env", "keep_background"] as const).find(
    (field) => payload[field] !== undefined,
  );
  if (odd !== undefined || command === undefined) {
    throw new NacreError("invalid_argument", `${odd}: is not allowed with a session`, {
      field: odd ?? "command",
      suggestion: "Put it into the command line, or leave the session out.",
    });
  }
  const session = await context.sessions.requireOpen(session_id);
  session.note({ exec_count: session.record.exec_count + 1, last_exec_at_ms: Date.now() });
  const startedMs = performance.now();
  const ran = await typeLine(session, context, () =>
    context
      .call("runCommand", {
        id: session.terminalId,
        commandLine: command,
        timeoutMs: payload.timeout_ms ?? DEFAULT_EXEC_TIMEOUT_MS,
        maxOutputBytes: payload.max_output_bytes,
      })
      .catch(rethrowAsClosed(session)),
  );
  const tookMs = performance.now() - startedMs;
  noteRun(session, ran);
  if (ran.outcome === "ended") await awaitPrompt(session, context.call);
  // The command's outcome is the answer, also where its terminal is gone by now.
  await observeSession(session, context.call).catch(ignoreGone);
  return { sessionId: session.id, result: encodeRunResult(session, ran, tookMs) };
}

/** A command seen to start is the one to wait for; one whose end is reported here is not reported again. */
function noteRun(session: ControlSession, { command, output }: RunCommandResult): void {
  session.typedAfter = Math.max(session.typedAfter, output.position.after);
  session.waitedTo = Math.max(session.waitedTo, command?.lastSequence ?? 0);
}

/** With its next prompt a shell tells where it is now, and that comes at once where nothing slow is shown in it. */
async function awaitPrompt({ terminalId }: ControlSession, call: CallOperation): Promise<void> {
  await call("waitFor", {
    id: terminalId,
    until: [{ kind: "prompt" }, { kind: "exit" }],
    timeoutMs: PROMPT_MS,
  }).catch(() => undefined);
}

function encodeRunResult(
  session: ControlSession,
  ran: RunCommandResult,
  tookMs: number,
): OperationOutcome["result"] {
  const { outcome, command, shellExit, inputNeeded, recordingBlocked, output } = ran;
  const signal = command?.signal ?? shellExit?.signal;
  if (outcome === "refused") {
    throw invalidArgument("command", `the shell of ${session.id} did not run it`, {
      suggestion: "Look for an unfinished quote or bracket.",
    });
  }
  const bytes = Buffer.from(output.text);
  return {
    n: bytes.byteLength,
    data_b64: bytes.toString("base64"),
    text: readExcerptText(output),
    eof: outcome === "exited",
    exit_code: command?.exitCode ?? shellExit?.exitCode ?? null,
    signal,
    timed_out: outcome === "timeout",
    still_running: ["timeout", "inputNeeded", "recordingBlocked"].includes(outcome),
    input_needed: inputNeeded?.kind,
    recording_blocked: encodeBlocked(recordingBlocked),
    truncated: output.truncated,
    omitted_bytes: output.omittedBytes,
    total_bytes: output.totalBytes,
    duration_ms: command?.durationMs ?? Math.round(tookMs),
    terminal_id: session.terminalId,
    from: formatCursor(output.position),
  };
}

async function execAlone(
  payload: Payload<"exec">,
  { call, baseDirectory, terminalId }: OperationContext,
): Promise<OperationOutcome> {
  const { command, argv, cwd, env, timeout_ms, max_output_bytes, keep_background } = payload;
  const [program, ...args] = argv ?? [];
  const maxBytes = max_output_bytes ?? DEFAULT_READ_BYTES;
  const ran = await call("execCommand", {
    id: terminalId,
    ...(command === undefined ? { command: program, args } : { commandLine: command }),
    // Without a terminal no pager waits for keys, and the bytes are as written.
    mode: "pipe",
    workingDirectory: cwd && resolve(baseDirectory, cwd.trim()),
    env,
    timeoutMs: timeout_ms ?? DEFAULT_EXEC_TIMEOUT_MS,
    maxOutputBytes: maxBytes,
    keepBackground: keep_background,
  });
  const totalBytes = ran.output.totalBytes + (ran.errorOutput?.totalBytes ?? 0);
  const shown = await readHeadAndTail({ id: ran.terminalId, maxBytes, totalBytes }, call);
  return {
    sessionId: null,
    result: {
      ...shown,
      exit_code: ran.exitCode,
      signal: ran.signal,
      timed_out: ran.timedOut,
      still_running: false,
      total_bytes: totalBytes,
      duration_ms: ran.durationMs,
      terminal_id: ran.terminalId,
      background: ran.background,
    },
  };
}
