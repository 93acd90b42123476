import { safeText } from "@nacre/client/ui";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { execInDoubt, isInDoubt } from "@nacre/client/quick";
import type { BackgroundProcesses, ExecResult, OperationInput, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { parseVariables } from "../limits.ts";
import { endWithUser } from "../live/end-with-user.ts";
import { ENDING_CODES, exitCodeOf, exitCodeOfError, TIMED_OUT } from "../live/ending-codes.ts";
import { followEntries } from "../live/follow-entries.ts";
import { ProgramStreams } from "../live/program-streams.ts";

/** The host's limit: a week. */
const MAX_TIMEOUT_MS = 7 * 24 * 60 * 60 * 1000;

/** Poll interval for a program that is being started. */
const LOOK_MS = 10;

export const execCommand: Command = {
  name: "exec",
  section: "terminals",
  makesHome: true,
  summary: "Run one program in a recorded terminal of its own, and pass its exit code on",
  description: [
    "Its output comes as it is written, and stays in its recording. It has no input.",
    "Without a terminal its standard error stays apart, and output is passed on byte by byte; that is so when standard output is no terminal, or with --no-tty.",
  ].join("\n\n"),
  rest: {
    name: "program",
    description: "Program with its arguments",
    isOptional: true,
    isGreedy: true,
  },
  options: [
    {
      name: "timeout",
      value: "TIME",
      description: "End it after this time; otherwise it may take as long as it does, up to a week",
    },
    { name: "cwd", value: "DIR", description: "Where it starts; here when absent" },
    {
      name: "env",
      short: "e",
      value: "NAME=VALUE",
      isMany: true,
      description: "A variable for it",
    },
    { name: "tty", short: "t", description: "Give it a terminal" },
    { name: "no-tty", short: "T", description: "Give it no terminal" },
    {
      name: "file",
      value: "FILE",
      description: "Run what is in a file, or in `-`, with the shell",
    },
    { name: "name", short: "n", value: "NAME", description: "What people call its recording" },
    {
      name: "detach",
      short: "d",
      description: "Print its id and let it run, for as long as it takes",
    },
    {
      name: "keep-background",
      description: "Let what it leaves in the background go on; otherwise that is ended with it",
    },
  ],
  examples: [
    { line: "nacre exec -- echo hi", about: "its output and its exit code" },
    {
      line: "nacre exec --timeout 30s -e CI=1 -- sh -c 'echo $CI'",
      about: "with a deadline and a variable",
    },
    { line: "nacre exec --json -- uname -a", about: "for programs: output, exitCode, durationMs" },
    { line: "nacre exec -d -- sleep 5", about: "in the background" },
  ],
  exitCodes: ENDING_CODES,

  async run(context) {
    try {
      if (context.options.has("detach")) return await start(context);
      return await runToEnd(context);
    } catch (error) {
      if (!(error instanceof NacreError)) throw error;
      return { result: undefined, text: "", failure: error, exitCode: exitCodeOfError(error) };
    }
  },
};

async function start(context: Context): Promise<Outcome> {
  const { options, call } = context;
  if (options.has("timeout") || options.has("no-tty")) {
    const message = "exec: what runs in the background has a terminal and no deadline";
    throw new NacreError("invalid_argument", message, { field: "detach" });
  }
  const program = await programOf(context);
  const { id } = await call("createTerminal", { ...program, shellIntegration: "off" });
  return { result: { terminalId: id }, text: safeText(id) };
}

async function runToEnd(context: Context): Promise<Outcome> {
  const { options, call, callAgain, isJson } = context;
  const id = `terminal:${randomUUID()}` as TerminalId;
  const hasTty = options.has("tty") || (!options.has("no-tty") && process.stdout.isTTY && !isJson);
  const input: OperationInput<"execCommand"> = {
    ...(await programOf(context)),
    id,
    mode: hasTty ? "pty" : "pipe",
    timeoutMs: options.durationMs("timeout") ?? MAX_TIMEOUT_MS,
    ...(options.has("keep-background") ? { keepBackground: true } : {}),
  };
  // With its id it never runs twice, whatever happens to the daemon.
  const running = callAgain("execCommand", input).catch((error: unknown) => {
    throw isInDoubt(error) ? execInDoubt(id, error) : error;
  });
  using _ending = endWithUser(call, id);
  if (!isJson) await pass(context, id, running);
  const result = await running;
  if (result.background && !isJson && !context.isQuiet) tellBackground(result.background, id);
  return outcomeOf(result, isJson);
}

/** As it comes. */
async function pass(
  { call, callAgain }: Context,
  id: TerminalId,
  running: Promise<ExecResult>,
): Promise<void> {
  const streams = new ProgramStreams();
  using _stopped = endWithUser(call, id, streams.stopped);
  let isOver = false;
  const over = running.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  for (;;) {
    // The wait for its end reports a program that could not be started.
    const wasOver = isOver;
    try {
      for await (const entry of followEntries(callAgain, {
        id,
        types: ["output"],
        isFollowing: true,
      })) {
        if (entry.type === "output") await streams.write(entry);
      }
      return;
    } catch (error) {
      const isMissing = error instanceof NacreError && error.code.endsWith("_not_found");
      if (!isMissing) throw error;
      if (wasOver) return;
    }
    await Promise.race([wait(LOOK_MS), over]);
  }
}

/** On stderr. */
function tellBackground({ count, processes, kept }: BackgroundProcesses, id: TerminalId): void {
  const named = processes.map(({ pid, name }) => `${name} (${pid})`).join(", ");
  const more = count > processes.length ? ` and ${count - processes.length} more` : "";
  const [fate, next] = kept
    ? ["goes on", `\`nacre rm -f --keep-recording ${id}\` ends it.`]
    : ["was ended", "--keep-background lets it go on."];
  console.error(`nacre: left in the background, ${fate}: ${safeText(named)}${more}\n  → ${next}`);
}

function outcomeOf(result: ExecResult, isJson: boolean): Outcome {
  const { terminalId, exitCode, signal, timedOut, durationMs, output, errorOutput } = result;
  const { background } = result;
  const code = timedOut ? TIMED_OUT : exitCodeOf(exitCode, signal);
  return {
    result: {
      terminalId,
      exitCode,
      ...(signal === undefined ? {} : { signal }),
      timedOut,
      durationMs,
      output: output.text,
      ...(errorOutput ? { errorOutput: errorOutput.text } : {}),
      truncated: output.truncated || errorOutput?.truncated === true,
      totalBytes: output.totalBytes + (errorOutput?.totalBytes ?? 0),
      ...(background ? { background } : {}),
    },
    text: "",
    exitCode: code,
    ...(isJson ? {} : { isPrinted: true }),
  };
}

async function programOf({ options, rest = [] }: Context) {
  const [command, ...args] = rest;
  const file = options.text("file");
  if ((command === undefined) === (file === undefined)) {
    throw new NacreError("invalid_argument", "exec: needs a program, or a file with --file", {
      field: "program",
      suggestion: "Write `nacre exec -- program arguments`.",
    });
  }
  const name = options.text("name");
  return {
    ...(file === undefined ? { command, args } : { commandLine: await readScript(file) }),
    workingDirectory: resolve(options.text("cwd") ?? "."),
    ...(options.has("env") ? { env: parseVariables(options.many("env")) } : {}),
    ...(name === undefined ? {} : { name }),
    ...(process.stdout.isTTY ? { size: sizeOf(process.stdout) } : {}),
  };
}

const sizeOf = ({ columns, rows }: NodeJS.WriteStream) => ({
  cols: columns || 80,
  rows: rows || 24,
});

async function readScript(file: string): Promise<string> {
  if (file === "-") return await readAll(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError("invalid_argument", `exec: ${why}`, { field: "file", cause });
  }
}
