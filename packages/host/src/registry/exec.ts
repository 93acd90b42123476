import {
  DEFAULT_COMMAND_TIMEOUT_MS,
  DEFAULT_EXCERPT_BYTES,
  ExecInput,
  type ExecResult,
  MAX_EXEC_MS,
  parse,
  type TerminalInput,
} from "@nacre/contracts";
import { Excerpt } from "../terminal/excerpt.ts";
import type { CreateOptions } from "../terminal/launch-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Registry } from "./registry.ts";

/** Where the output of a program begins: behind the header. */
const BEGINNING = { after: 0 };

/** Who runs a command by itself, and with which shell command lines are run. */
export interface ExecOptions extends Pick<
  CreateOptions,
  "by" | "claim" | "id" | "recording" | "roots"
> {
  readonly shell: string;
}

/** Who ends a command whose host is gone, and is told what fails then. */
interface AdoptExecsOptions extends Pick<CreateOptions, "by"> {
  readonly handleProblem: (error: unknown) => void;
}

/** Runs one command in a recorded terminal of its own, from its first byte to its exact end; past the deadline it is ended. */
export async function exec(
  registry: Registry,
  asked: ExecInput,
  { shell, ...options }: ExecOptions,
): Promise<ExecResult> {
  const input = parse(ExecInput, asked);
  const { mode = "pty", timeoutMs = DEFAULT_COMMAND_TIMEOUT_MS } = input;
  const startedAt = performance.now();
  const terminal = await registry.create(terminalInputOf(input, shell), {
    ...options,
    mode,
    endAt: Date.now() + timeoutMs,
    limits: input.limits,
    shellIntegration: "off",
  });
  try {
    const [timedOut, durationMs, { output, errorOutput }] = await Promise.all([
      endsLate(terminal, timeoutMs, options.by),
      terminal.ended.then(() => Math.round(performance.now() - startedAt)),
      follow(terminal, input.maxOutputBytes ?? DEFAULT_EXCERPT_BYTES),
    ]);
    const { exitCode, signal, limitReached } = await terminal.ended;
    return {
      terminalId: terminal.id,
      exitCode: exitCode ?? null,
      ...(signal === undefined ? {} : { signal }),
      ...(limitReached === undefined ? {} : { limitReached }),
      timedOut,
      durationMs,
      output: output.read(BEGINNING),
      ...(mode === "pipe" ? { errorOutput: errorOutput.read(BEGINNING) } : {}),
    };
  } finally {
    // Its owner may be gone, and the terminal with it.
    if (registry.find(terminal.id)) await registry.dispose(terminal.id);
  }
}

/** Goes on with commands that were run by themselves in another host: past their deadline they are ended, and when they ended nobody needs their terminals, as here. */
export function adoptExecs(registry: Registry, { by, handleProblem }: AdoptExecsOptions): void {
  for (const terminal of registry.list()) {
    const { endAt } = terminal.options;
    if (endAt === undefined) continue;
    // The clock may have jumped since.
    const restMs = Math.min(Math.max(0, endAt - Date.now()), MAX_EXEC_MS);
    const timer = setTimeout(() => void terminal.kill(by).catch(handleProblem), restMs).unref();
    void terminal.ended.then(() => {
      clearTimeout(timer);
      // A program that is only let go has not ended.
      const isHere = terminal.isOver && registry.find(terminal.id) !== undefined;
      if (isHere) registry.dispose(terminal.id).catch(handleProblem);
    });
  }
}

function terminalInputOf(input: ExecInput, shell: string): TerminalInput {
  const { owner, workingDirectory, name, command, args, commandLine, env, inheritEnv, size } =
    input;
  const program =
    commandLine === undefined
      ? { command, ...(args === undefined ? {} : { args }) }
      : { command: shell, args: ["-c", commandLine] };
  return {
    owner,
    workingDirectory,
    ...program,
    ...(name === undefined ? {} : { name }),
    ...(env === undefined ? {} : { env }),
    ...(inheritEnv === undefined ? {} : { inheritEnv }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Ends the program when it takes too long; tells whether it did. */
async function endsLate(
  terminal: Terminal,
  timeoutMs: number,
  by: CreateOptions["by"],
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), timeoutMs);
  void terminal.ended.then(() => resolve(false));
  const isLate = await promise;
  clearTimeout(timer);
  if (isLate && terminal.isRunning) await terminal.kill(by);
  return isLate;
}

async function follow(
  terminal: Terminal,
  maxBytes: number,
): Promise<{ readonly output: Excerpt; readonly errorOutput: Excerpt }> {
  const output = new Excerpt(maxBytes);
  const errorOutput = new Excerpt(maxBytes);
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    if (message.kind !== "entry" || !message.view || message.entry.type !== "output") continue;
    (message.entry.stream === "stderr" ? errorOutput : output).push(message.view);
  }
  return { output, errorOutput };
}
