import { safeText } from "@nacre/client/ui";
import { isInDoubt, runInDoubt } from "@nacre/client/quick";
import type { RunCommandResult, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { blockedError } from "../describe.ts";
import {
  ENDING_CODES,
  exitCodeOf,
  exitCodeOfError,
  OWN_FAILURE,
  TIMED_OUT,
} from "../live/ending-codes.ts";
import { followEntries } from "../live/follow-entries.ts";
import { ProgramStreams } from "../live/program-streams.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

export const runCommand: Command = {
  name: "run",
  section: "terminals",
  makesHome: true,
  summary: "Run a command line in the shell of a terminal, and pass its exit code on",
  description:
    "The shell keeps its directory and its variables from one line to the next. Output comes as it is written; where no terminal reads it, its lines end as those of files do. A line that takes longer than the deadline goes on.",
  arguments: [TERMINAL],
  rest: { name: "line", description: "The command line, as it is typed" },
  options: [
    { name: "timeout", value: "TIME", description: "Wait this long; 2m when absent, 10m at most" },
  ],
  examples: [
    { line: "nacre run build -- 'cd /tmp && ls -d .'", about: "its output and its exit code" },
    { line: "nacre run build --json -- true", about: "for programs: result.exitCode" },
  ],
  exitCodes: [
    ["n", "the command's own exit code"],
    [String(TIMED_OUT), "it still runs after the deadline"],
    [String(OWN_FAILURE), "nacre itself failed, or the command waits for somebody to type"],
    ...ENDING_CODES.slice(-1),
  ],

  async run(context) {
    try {
      return await runLine(context);
    } catch (error) {
      if (!(error instanceof NacreError)) throw error;
      return { result: undefined, text: "", failure: error, exitCode: exitCodeOfError(error) };
    }
  },
};

async function runLine(context: Context): Promise<Outcome> {
  const { call, options, isJson } = context;
  const { terminal, words } = terminalWords(context);
  const { id } = await context.terminal(terminal);
  const timeoutMs = options.durationMs("timeout");
  const { sequence } = await call("readScreen", { id });
  const running = call("runCommand", {
    id,
    commandLine: words.join(" "),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const result = await finish(context, { id, after: sequence }, running);
  if (result.shellExit && !isJson && !context.isQuiet) {
    console.error("nacre: the shell of this terminal has ended");
  }
  return outcomeOf(result, isJson);
}

/** A daemon that ends before the answer knows nothing of the command; the shell continues with it. */
async function finish(
  context: Context,
  place: { readonly id: TerminalId; readonly after: number },
  running: Promise<RunCommandResult>,
): Promise<RunCommandResult> {
  try {
    // The output stream may break first because the request never arrived; the answer tells.
    if (!context.isJson) await pass(context, place, running).catch(unlessAway);
    return await running;
  } catch (error) {
    if (!isInDoubt(error)) throw error;
    const { id, after } = place;
    const next = `Do not run it again: \`nacre logs ${id}\` shows what it wrote, \`nacre wait ${id} --command-end --after ${after}\` waits for its end.`;
    throw runInDoubt(id, error, next);
  }
}

function unlessAway(error: unknown): void {
  if (!(error instanceof NacreError && error.code === "unavailable")) throw error;
}

/** From the command's beginning to its end. */
async function pass(
  { call }: Context,
  { id, after }: { readonly id: TerminalId; readonly after: number },
  running: Promise<RunCommandResult>,
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  void running.then(end, end);
  const streams = new ProgramStreams({ hasPlainLines: true });
  const types = ["command", "output", "commandEnd"] as const;
  let commandId: string | undefined;
  const wish = { id, types, after, isFollowing: true, signal: over.signal };
  for await (const entry of followEntries(call, wish)) {
    if (entry.type === "command") commandId ??= entry.commandId;
    if (entry.type === "output" && commandId !== undefined) await streams.write(entry);
    if (entry.type === "commandEnd" && entry.commandId === commandId) return;
    if (streams.stopped.aborted) return;
  }
}

function outcomeOf(
  { outcome, command, shellExit, inputNeeded, recordingBlocked, output }: RunCommandResult,
  isJson: boolean,
): Outcome {
  // After `exit 9` the command's exit is the shell's, as with `ssh host 'exit 9'`.
  const exitCode = command?.exitCode ?? shellExit?.exitCode ?? null;
  const signal = command?.signal ?? shellExit?.signal;
  const result = {
    outcome,
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    ...(shellExit ? { shellExit } : {}),
    ...(inputNeeded ? { inputNeeded } : {}),
    ...(recordingBlocked ? { recordingBlocked } : {}),
    commandId: command?.commandId,
    terminalId: command?.terminalId,
    durationMs: command?.durationMs,
    output: output.text,
    truncated: output.truncated,
    totalBytes: output.totalBytes,
  };
  if (outcome === "ended" || outcome === "exited") {
    const code = exitCodeOf(exitCode, signal);
    return { result, text: "", exitCode: code, ...(isJson ? {} : { isPrinted: true }) };
  }
  const failure =
    recordingBlocked && outcome !== "inputNeeded"
      ? blockedError(recordingBlocked)
      : failureOf(outcome, inputNeeded?.kind);
  return { result, text: "", failure, exitCode: exitCodeOfError(failure) };
}

type Unfinished = Exclude<RunCommandResult["outcome"], "ended" | "exited">;

function failureOf(outcome: Unfinished, kind = "line"): NacreError {
  switch (outcome) {
    // Recorded again meanwhile: it continues.
    case "recordingBlocked":
    case "timeout":
      return new NacreError("timeout", "the command still runs", {
        suggestion: "Wait for it with `nacre wait --command-end`.",
      });
    case "inputNeeded":
      return new NacreError("conflict", `the command waits for a ${safeText(kind)} to be typed`, {
        suggestion:
          "Type it with `nacre attach` or `nacre send`, and wait with `nacre wait --command-end`.",
      });
    case "refused":
      return new NacreError("conflict", "the shell did not run this line", {
        suggestion: "See what it said with `nacre screen`.",
      });
  }
}
