import { randomUUID } from "node:crypto";
import { MAX_WAIT_MS, type OperationInput, TerminalId } from "@nacre/contracts";
import { z } from "zod";
import {
  command,
  CommandResult,
  cwd,
  DEFAULT_YIELD_MS,
  env,
  maxOutputBytes,
  timeoutMs,
  yieldTimeMs,
} from "../fields.ts";
import {
  endingOf,
  excerptResult,
  inputNeededNow,
  isNotFound,
  outputResult,
  readShown,
} from "../read-shown.ts";
import { readableText } from "../readable-text.ts";
import { defineTool, RUNS, type ToolCall } from "../tool.ts";

const Input = z.strictObject({
  command,
  cwd,
  env,
  timeout_ms: timeoutMs(
    `End the program when it still runs after so many milliseconds; ${MAX_WAIT_MS} when absent, and never with run_in_background.`,
  ),
  yield_time_ms: yieldTimeMs(),
  max_output_bytes: maxOutputBytes,
  run_in_background: z
    .boolean()
    .optional()
    .describe("Answer at once and let it run for as long as it takes, as for a server."),
});
type Input = z.infer<typeof Input>;

/** A program that asks for something at once is waited for this long before it is looked at. */
const FIRST_LOOK_MS = 200;

/** What a running program can be used with. */
export const WHILE_RUNNING =
  "terminal_wait waits for its end, for text or for a question; terminal_write and terminal_keys type into it; terminal_signal and terminal_close end it.";

/** Runs one command by itself. */
export const execTool = defineTool({
  name: "terminal_exec",
  title: "Run a command by itself",
  description:
    "Runs one command line in a recorded terminal of its own and answers with its exit code and output. When it takes longer than yield_time_ms, or asks for input, the answer says still_running and it goes on: use its terminal_id. For state that lasts between commands (cd, variables) use terminal_create and terminal_run.",
  input: Input,
  output: CommandResult,
  hints: RUNS,
  run: (input, call) => (input.run_in_background ? start(input, call) : exec(input, call)),
});

async function start(
  { command: commandLine, cwd: directory, env: variables, ...rest }: Input,
  call: ToolCall,
): Promise<CommandResult> {
  const { id } = await call.ask("createTerminal", {
    commandLine,
    name: labelOf(commandLine),
    shellIntegration: "off",
    ...(directory === undefined ? {} : { workingDirectory: directory }),
    ...(variables === undefined ? {} : { env: variables }),
  });
  return await running(call, { id, maxBytes: rest.max_output_bytes, since: performance.now() });
}

async function exec(input: Input, call: ToolCall): Promise<CommandResult> {
  const since = performance.now();
  const id = TerminalId.parse(`terminal:${randomUUID()}`);
  using enough = new Enough(call, id, input.yield_time_ms ?? DEFAULT_YIELD_MS);
  try {
    const result = await call.ask("execCommand", execInput(id, input), enough.signal);
    const { exitCode, signal, timedOut, durationMs, output } = result;
    return {
      terminal_id: id,
      still_running: false,
      exit_code: exitCode,
      ...(signal === undefined ? {} : { signal }),
      ...(timedOut ? { timed_out: true } : {}),
      duration_ms: durationMs,
      ...excerptResult(id, output),
    };
  } catch (error) {
    // The program goes on without anybody who waits for it.
    if (!enough.signal.aborted || call.signal.aborted) throw error;
  }
  return await running(call, { id, maxBytes: input.max_output_bytes, since });
}

/** Labels are read on one line of a list. */
const MAX_LABEL_LENGTH = 80;

/** What people see the terminal of a command by. */
const labelOf = (line: string): string =>
  readableText(line).replaceAll(/\s+/g, " ").trim().slice(0, MAX_LABEL_LENGTH) || "command";

const execInput = (id: TerminalId, input: Input): OperationInput<"execCommand"> => ({
  id,
  commandLine: input.command,
  name: labelOf(input.command),
  timeoutMs: input.timeout_ms ?? MAX_WAIT_MS,
  ...(input.cwd === undefined ? {} : { workingDirectory: input.cwd }),
  ...(input.env === undefined ? {} : { env: input.env }),
  ...(input.max_output_bytes === undefined ? {} : { maxOutputBytes: input.max_output_bytes }),
});

/** Says when a program was waited for long enough: its time is over, or it asks for something. */
class Enough implements Disposable {
  readonly #controller = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(call: ToolCall, id: TerminalId, yieldMs: number) {
    const stop = (): void => this.#controller.abort();
    const until = [{ kind: "inputNeeded" as const }];
    const look = (): void => {
      const asked = call.ask("waitFor", { id, until, timeoutMs: yieldMs }, this.signal);
      // A program that has ended meanwhile is not there any more; its end is the answer.
      asked.then(({ outcome }) => outcome === "inputNeeded" && stop()).catch(() => undefined);
    };
    this.#timers = [setTimeout(stop, yieldMs), setTimeout(look, FIRST_LOOK_MS)];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#controller.abort();
  }
}

interface Running {
  readonly id: TerminalId;
  readonly maxBytes: number | undefined;
  readonly since: number;
}

/** What there is to say of a program that is left running. */
async function running(call: ToolCall, { id, maxBytes, since }: Running): Promise<CommandResult> {
  const duration = (): number => Math.round(performance.now() - since);
  try {
    const shown = await readShown(call, { id, maxBytes });
    const needed = shown.page.ended ? undefined : await inputNeededNow(call, id);
    return {
      terminal_id: id,
      ...endingOf(shown.page),
      ...(needed === undefined ? {} : { input_needed: needed.kind }),
      duration_ms: duration(),
      ...outputResult(id, shown),
      ...(shown.page.ended ? {} : { next: WHILE_RUNNING }),
    };
  } catch (error) {
    // On a busy machine a program may take longer to start than it is waited for.
    if (!isNotFound(error)) throw error;
    const nothing = { output: "", truncated: false, bytes: 0, omitted_bytes: 0, cursor: "0" };
    const state = { terminal_id: id, still_running: true, exit_code: null };
    return { ...state, ...nothing, duration_ms: duration(), untrusted: true, next: WHILE_RUNNING };
  }
}
