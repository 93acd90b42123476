import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type BackgroundProcesses,
  type InputNeededKind,
  MAX_WAIT_MS,
  NacreError,
  type OperationInput,
  TerminalId,
} from "@nacre/contracts";
import { z } from "zod";
import {
  BLOCKED_SUGGESTION,
  command,
  CommandResult,
  cwd,
  DEFAULT_YIELD_MS,
  env,
  makeLabel,
  maxOutputBytes,
  MIN_YIELD_MS,
  suggestNext,
  terminalId,
  timeoutMs,
  yieldTimeMs,
} from "../tool-fields.ts";
import {
  describeState,
  formatBlocked,
  formatExcerpt,
  readBefore,
  readEndPosition,
  readExcerpt,
} from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { resumeRun } from "../resume-run.ts";
import { defineTool, RUN_HINTS, type ToolCall } from "../tool.ts";

export const runTool = defineTool({
  name: "terminal_run",
  title: "Run a command in a shell",
  description:
    "Runs a command line in the shell of a terminal of terminal_create, which keeps its directory and variables, and answers with exactly what this command wrote and its exit code. When it takes longer than yield_time_ms, or asks for input, the answer says still_running and it goes on. One at a time for each terminal.",
  input: z.strictObject({
    terminal_id: terminalId,
    command,
    timeout_ms: timeoutMs(
      "End the command after so many milliseconds; the shell goes on. Default: never.",
    ),
    yield_time_ms: yieldTimeMs(),
    max_output_bytes: maxOutputBytes,
  }),
  output: CommandResult,
  hints: RUN_HINTS,
  run: async (input, call) => {
    const id = input.terminal_id;
    const since = performance.now();
    const yieldMs = input.yield_time_ms ?? DEFAULT_YIELD_MS;
    // Where to look for the command when the daemon ends before it answers.
    const { after } = await readEndPosition(call, id);
    const asked = call.ask("runCommand", {
      id,
      commandLine: input.command,
      timeoutMs: yieldMs,
      endAfterMs: input.timeout_ms,
      maxOutputBytes: input.max_output_bytes,
    });
    let isResumed = false;
    const result = await asked.catch(async (error: unknown) => {
      if (!isLostRun(error, id)) throw error;
      const { command: commandLine, max_output_bytes: maxBytes } = input;
      const deadline = since + yieldMs;
      const lost = { id, commandLine, after, deadline, maxOutputBytes: maxBytes };
      // Whatever is in the way of that, what is known stays the same.
      const resumed = await resumeRun(call, lost).catch(() => undefined);
      isResumed = resumed !== undefined;
      if (resumed) return resumed;
      throw adviseAfterLostRun(error, id);
    });
    const { outcome, command: recorded, shellExit, inputNeeded, timedOut, output } = result;
    const signal = recorded?.signal ?? shellExit?.signal;
    const { position, text } = output;
    const before = await readBefore(call, { id, position, text });
    const isRunning = ["timeout", "inputNeeded", "recordingBlocked"].includes(outcome);
    return {
      terminal_id: id,
      still_running: isRunning,
      // After `exit 3` the command's exit is the shell's.
      exit_code: recorded?.exitCode ?? shellExit?.exitCode ?? null,
      signal,
      timed_out: timedOut,
      input_needed: inputNeeded?.kind,
      recording_blocked: formatBlocked(result.recordingBlocked),
      command_id: recorded?.commandId,
      duration_ms: recorded?.durationMs ?? Math.round(performance.now() - since),
      ...formatExcerpt(output, { to: await readEndPosition(call, id), before }),
      next:
        isResumed && isRunning && input.timeout_ms !== undefined
          ? DEADLINE_LOST
          : suggestAfter(outcome, inputNeeded?.kind),
    };
  },
});

/** The deadline of a command in a live shell ends with the daemon that had it. */
const DEADLINE_LOST =
  "The daemon was restarted: timeout_ms does not end this command any more. terminal_wait with until command_end waits for it, terminal_signal ends it.";

const isLostRun = (error: unknown, id: string): error is NacreError =>
  error instanceof NacreError &&
  error.code === "unavailable" &&
  error.details?.["terminalId"] === id;

/** A command whose answer got lost may run: whoever runs it again runs it twice. */
function adviseAfterLostRun(error: NacreError, id: string): NacreError {
  return new NacreError(error.code, error.message, {
    cause: error,
    suggestion: `Do not run it again: terminal_history with terminal_id ${id} tells its exit code once it has ended, terminal_wait with until command_end waits for that, terminal_read shows what it wrote.`,
  });
}

function suggestAfter(outcome: string, needed?: InputNeededKind): string | undefined {
  switch (outcome) {
    case "timeout":
    case "inputNeeded":
      return suggestNext(needed);
    case "recordingBlocked":
      return BLOCKED_SUGGESTION;
    case "exited":
      return "The shell itself ended; terminal_create starts another.";
    case "refused":
      return "The shell ran nothing: it did not understand the line, or waits for more of it. Look at terminal_screen.";
    default:
      return undefined;
  }
}

const ExecInput = z.strictObject({
  command,
  cwd,
  env,
  timeout_ms: timeoutMs(
    `End the program after so many milliseconds. Default ${MAX_WAIT_MS}; with run_in_background never.`,
  ),
  yield_time_ms: yieldTimeMs(),
  max_output_bytes: maxOutputBytes,
  run_in_background: z
    .boolean()
    .optional()
    .describe("Answer at once and let it run for as long as it takes, as a server."),
  keep_background: z
    .boolean()
    .optional()
    .describe("Let go on what the command leaves in the background; ended when absent."),
});
type ExecInput = z.infer<typeof ExecInput>;

/** Delay before the first look at a program that may ask for input. */
const FIRST_LOOK_MS = 200;

/** Interval of looks for a program that has not started when its time is over. */
const LOOK_AGAIN_MS = 50;

export const execTool = defineTool({
  name: "terminal_exec",
  title: "Run a command by itself",
  description:
    "Runs one command line in a recorded terminal of its own and answers with its output and exit code. Nothing stays for the next command (cd, variables): for that use terminal_create and terminal_run. When it takes longer than yield_time_ms, or asks for input, the answer says still_running and it goes on.",
  input: ExecInput,
  output: CommandResult,
  hints: RUN_HINTS,
  run: (input, call) => {
    if (input.run_in_background !== true) return exec(input, call);
    // `execCommand` enforces deadlines.
    return input.timeout_ms === undefined
      ? startInBackground(input, call)
      : exec({ ...input, yield_time_ms: MIN_YIELD_MS }, call);
  },
});

async function startInBackground(
  { command: commandLine, cwd: directory, env: variables, ...rest }: ExecInput,
  call: ToolCall,
): Promise<CommandResult> {
  const { id } = await call.ask("createTerminal", {
    commandLine,
    name: makeLabel(commandLine),
    shellIntegration: "off",
    workingDirectory: directory,
    env: variables,
  });
  const maxBytes = rest.max_output_bytes;
  return await describeRunning(call, { id, maxBytes, since: performance.now() });
}

async function exec(input: ExecInput, call: ToolCall): Promise<CommandResult> {
  const since = performance.now();
  const id = TerminalId.parse(`terminal:${randomUUID()}`);
  using enough = new YieldSignal(call, id, input.yield_time_ms ?? DEFAULT_YIELD_MS);
  try {
    const result = await call.ask("execCommand", execInput(id, input), enough.signal);
    const { exitCode, signal, timedOut, durationMs, output, background } = result;
    return {
      terminal_id: id,
      still_running: false,
      exit_code: exitCode,
      signal,
      ...(timedOut ? { timed_out: true } : {}),
      duration_ms: durationMs,
      ...formatExcerpt(output),
      background: background && describeBackground(id, background),
    };
  } catch (error) {
    // The program continues without anybody waiting.
    if (!enough.signal.aborted || call.signal.aborted) throw adviseAfterLostExec(error, id);
  }
  return await describeRunning(call, { id, maxBytes: input.max_output_bytes, since });
}

function describeBackground(
  id: TerminalId,
  { count, processes, kept }: BackgroundProcesses,
): string {
  const named = processes.map(({ pid, name }) => `${name} (${pid})`).join(", ");
  const more = count > processes.length ? ` and ${count - processes.length} more` : "";
  const fate = kept
    ? `goes on until terminal_close of ${id}`
    : "was ended with it; keep_background lets it go on";
  return `${readText(named)}${more} ${fate}.`;
}

/** The command may be running: running it again would run it twice. */
function adviseAfterLostExec(error: unknown, id: TerminalId): unknown {
  const isLost = error instanceof NacreError && error.details?.["terminalId"] === id;
  if (!isLost) return error;
  return new NacreError(error.code, error.message, {
    cause: error,
    suggestion: `Do not run it again: terminal_wait with terminal_id ${id} and until exit waits for its end, terminal_read shows what it wrote.`,
  });
}

const execInput = (id: TerminalId, input: ExecInput): OperationInput<"execCommand"> => ({
  id,
  commandLine: input.command,
  name: makeLabel(input.command),
  timeoutMs: input.timeout_ms ?? MAX_WAIT_MS,
  workingDirectory: input.cwd,
  env: input.env,
  maxOutputBytes: input.max_output_bytes,
  keepBackground: input.keep_background,
});

/** Fires when its time is over, or the program asks for input. */
class YieldSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(call: ToolCall, id: TerminalId, yieldMs: number) {
    const { signal } = this.#controller;
    const stop = (): void => this.#controller.abort();
    const until = [{ kind: "inputNeeded" as const }];
    const isThere = (): Promise<boolean> =>
      call.ask("waitFor", { id, until, timeoutMs: 0 }, signal).then(
        () => true,
        () => false,
      );
    // On a busy machine a program may start later than it is waited for; what has not started cannot be left running.
    const stopOnceThere = async (): Promise<void> => {
      while (!signal.aborted && !(await isThere())) await sleep(LOOK_AGAIN_MS);
      stop();
    };
    const look = (): void => {
      const asked = call.ask("waitFor", { id, until, timeoutMs: yieldMs }, signal);
      // A program that ended meanwhile is gone; its end is the answer.
      asked
        .then(({ outcome }) => ["inputNeeded", "recordingBlocked"].includes(outcome) && stop())
        .catch(() => undefined);
    };
    this.#timers = [
      setTimeout(() => void stopOnceThere(), yieldMs),
      setTimeout(look, FIRST_LOOK_MS),
    ];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#controller.abort();
  }
}

/** What there is to say of a program that is left running. */
async function describeRunning(
  call: ToolCall,
  { id, maxBytes, since }: { id: TerminalId; maxBytes: number | undefined; since: number },
): Promise<CommandResult> {
  const shown = await readExcerpt(call, { id, maxBytes });
  const state = await describeState(call, { id, shown, since });
  const { ended, recordingBlocked } = shown.page;
  const next = recordingBlocked ? BLOCKED_SUGGESTION : suggestNext(state.input_needed);
  return ended ? state : { ...state, next };
}
