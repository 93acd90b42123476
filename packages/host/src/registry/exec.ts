// Commands in recorded terminals of their own.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type BackgroundProcesses,
  DEFAULT_COMMAND_TIMEOUT_MS,
  DEFAULT_EXCERPT_BYTES,
  type EntryOf,
  ExecInput,
  type ExecResult,
  MAX_BACKGROUND_SHOWN,
  MAX_EXEC_MS,
  NacreError,
  parse,
  type TerminalId,
  type TerminalInput,
  type TerminalStorage,
} from "@nacre/contracts";
import { settleWithin } from "../base/settle-within.ts";
import { Excerpt } from "../terminal/excerpt.ts";
import type { CreateOptions } from "../terminal/launch-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ReadableTerminal, Registry } from "./registry.ts";

/** After the header. */
const BEGINNING = { after: 0 };

/** Poll interval for background processes: no event tells, and nobody waits for it. */
const BACKGROUND_LOOK_MS = 2000;

export interface ExecOptions extends Pick<
  CreateOptions,
  "by" | "claim" | "id" | "recording" | "roots"
> {
  readonly shell: string;
}

interface AdoptExecsOptions extends Pick<CreateOptions, "by"> {
  readonly handleProblem: (error: unknown) => void;
}

type ExecExit = Awaited<Terminal["ended"]>;

interface ExecRun {
  /** Rejects when the next host takes over. */
  readonly exit: Promise<ExecExit>;
  readonly timedOut: Promise<boolean>;
  /** What it left running, once that was ended or is kept. */
  readonly background: Promise<BackgroundProcesses | undefined>;
}

const execRuns = new WeakMap<Terminal, ExecRun>();

/**
 * Runs one command in a recorded terminal of its own, from its first byte to its exact end; past the deadline it is
 * ended. Idempotent by id: a command that exists already yields its result.
 */
export async function exec(
  registry: Registry,
  asked: ExecInput,
  { shell, ...options }: ExecOptions,
): Promise<ExecResult> {
  const input = parse(ExecInput, asked);
  const wanted = toTerminalInput(input, shell);
  const { id } = options;
  const isHere = async (): Promise<boolean> =>
    id !== undefined && (await isBegun(registry, id, wanted));
  if (id !== undefined && (await isHere())) return await joinExec(registry, id, input);
  const { mode, timeoutMs = DEFAULT_COMMAND_TIMEOUT_MS, limits, keepBackground } = input;
  const startedAt = performance.now();
  const creating = registry.create(wanted, {
    ...options,
    mode: mode ?? "pty",
    endAt: Date.now() + timeoutMs,
    limits,
    keepBackground,
    shellIntegration: "off",
  });
  const terminal = await creating.catch(async (error: unknown) => {
    // Concurrent requests with the same id.
    const isTaken = error instanceof NacreError && error.code === "already_exists";
    if (!isTaken || !(await isHere())) throw error;
  });
  if (!terminal) return await exec(registry, asked, { shell, ...options });
  const run = followExec(registry, terminal, { by: options.by, timeoutMs });
  const tookMs = terminal.ended.then(() => Math.round(performance.now() - startedAt));
  const result = await buildExecResult(terminal, input, run);
  return { ...result, durationMs: await tookMs };
}

/** Continues with another host's commands: enforces their deadlines and disposes of their terminals. */
export function adoptExecs(registry: Registry, { by, handleProblem }: AdoptExecsOptions): void {
  for (const terminal of registry.list()) {
    const { endAt } = terminal.options;
    if (endAt === undefined) continue;
    // The clock may have jumped since.
    const timeoutMs = Math.min(Math.max(0, endAt - Date.now()), MAX_EXEC_MS);
    const run = followExec(registry, terminal, { by, timeoutMs });
    // Nobody may ask for the result.
    for (const part of [run.timedOut, run.background]) part.catch(handleProblem);
  }
}

interface FollowOptions extends Pick<CreateOptions, "by"> {
  readonly timeoutMs: number;
}

/** Enforces the deadline and cleans up, whoever waits. */
function followExec(
  registry: Registry,
  terminal: Terminal,
  { by, timeoutMs }: FollowOptions,
): ExecRun {
  const exit = terminal.ended.then((ending) => {
    if (terminal.isOver) return ending;
    throw new NacreError("unavailable", `the host is restarting; ${terminal.id} goes on`, {
      details: { terminalId: terminal.id },
      suggestion: "Ask for the same command with the same id again: it is not run twice.",
    });
  });
  const run: ExecRun = {
    exit,
    timedOut: enforceDeadline(terminal, timeoutMs, by),
    background: exit.then(() => cleanUp(registry, terminal)),
  };
  // Whoever waits for the result gets each failure.
  for (const part of Object.values(run)) part.catch(() => undefined);
  execRuns.set(terminal, run);
  return run;
}

/** Whether this very command exists under an id; anything else under it is refused on creation. */
async function isBegun(
  registry: Registry,
  id: TerminalId,
  wanted: TerminalInput,
): Promise<boolean> {
  await registry.whenLaunched(id);
  const terminal = registry.find(id);
  if (terminal && terminal.options.endAt === undefined) return false;
  const row = await registry.findRow(id);
  return row !== undefined && isSameProgram(row, wanted);
}

function isSameProgram(row: TerminalStorage, wanted: TerminalInput): boolean {
  const programOf = ({ owner, command, args }: TerminalInput | TerminalStorage) => [
    owner.entityName,
    owner.entityId,
    command,
    args ?? [],
  ];
  return isDeepStrictEqual(programOf(row), programOf(wanted));
}

/** Here or in another host. */
async function joinExec(registry: Registry, id: TerminalId, input: ExecInput): Promise<ExecResult> {
  const terminal = registry.find(id);
  return terminal
    ? await buildExecResult(terminal, input, execRuns.get(terminal))
    : await buildExecResult(await registry.readable(id), input);
}

async function buildExecResult(
  terminal: ReadableTerminal,
  input: ExecInput,
  run?: ExecRun,
): Promise<ExecResult> {
  const { timeoutMs = DEFAULT_COMMAND_TIMEOUT_MS, maxOutputBytes = DEFAULT_EXCERPT_BYTES } = input;
  const [written, ending, timedOut, background] = await Promise.all([
    readExecOutput(terminal, maxOutputBytes),
    run?.exit,
    run?.timedOut,
    run?.background,
  ]);
  const { output, errorOutput, exit } = written;
  const { exitCode, signal, limitReached } = ending ?? exit ?? {};
  const durationMs = exit?.elapsedMs ?? 0;
  return {
    terminalId: terminal.id,
    exitCode: exitCode ?? null,
    ...(signal === undefined ? {} : { signal }),
    ...(limitReached === undefined ? {} : { limitReached }),
    timedOut: timedOut ?? durationMs >= timeoutMs,
    durationMs,
    output: output.read(BEGINNING, terminal.status.size),
    ...(input.mode === "pipe"
      ? { errorOutput: errorOutput.read(BEGINNING, terminal.status.size) }
      : {}),
    ...(background === undefined ? {} : { background }),
  };
}

function toTerminalInput(input: ExecInput, shell: string): TerminalInput {
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

/** Whether it did. */
async function enforceDeadline(
  terminal: Terminal,
  timeoutMs: number,
  by: CreateOptions["by"],
): Promise<boolean> {
  const hasEnded = await settleWithin(
    terminal.ended.then(() => true),
    timeoutMs,
  );
  const isLate = hasEnded === undefined;
  if (isLate && terminal.isRunning) await terminal.kill(by);
  return isLate;
}

/** Disposes of the terminal and background processes, or keeps both; returns the latter. */
async function cleanUp(
  registry: Registry,
  terminal: Terminal,
): Promise<BackgroundProcesses | undefined> {
  const left = await terminal.processes();
  const kept = left.length > 0 && terminal.options.keepBackground === true;
  if (kept) void disposeWhenQuiet(registry, terminal);
  // Its owner may be gone, and the terminal with it.
  else if (registry.find(terminal.id)) await registry.dispose(terminal.id);
  if (left.length === 0) return undefined;
  const processes = left.slice(0, MAX_BACKGROUND_SHOWN).map(({ pid, name }) => ({ pid, name }));
  return { count: left.length, processes, kept };
}

/** Once everything kept has ended by itself. */
async function disposeWhenQuiet(registry: Registry, terminal: Terminal): Promise<void> {
  while (registry.find(terminal.id) === terminal) {
    await sleep(BACKGROUND_LOOK_MS, undefined, { ref: false });
    // A keeper that does not answer now is asked again.
    const left = await terminal.processes().catch(() => [terminal]);
    if (left.length === 0 && registry.find(terminal.id)) await registry.dispose(terminal.id);
  }
}

interface ExecOutput {
  readonly output: Excerpt;
  readonly errorOutput: Excerpt;
  readonly exit: EntryOf<"exit"> | undefined;
}

async function readExecOutput(terminal: ReadableTerminal, maxBytes: number): Promise<ExecOutput> {
  const output = new Excerpt(maxBytes);
  const errorOutput = new Excerpt(maxBytes);
  let exit: EntryOf<"exit"> | undefined;
  for await (const message of terminal.subscribe({ after: 0, whenBehind: "replay" })) {
    if (message.kind !== "entry") continue;
    const { entry, view } = message;
    if (entry.type === "exit") exit = entry;
    if (!view || entry.type !== "output") continue;
    (entry.stream === "stderr" ? errorOutput : output).push(view);
  }
  return { output, errorOutput, exit };
}
