import type { Command, RunCommandResult, TerminalId } from "@nacre/contracts";
import type { ToolCall } from "./tool.ts";

/** A line that a shell got begins within this, or its daemon died before it typed it. */
const MAX_BEGIN_MS = 2000;

/** The exit of a shell is told right behind the end of its last command. */
const MAX_EXIT_MS = 2000;

/** A command line whose answer got lost with the daemon; its shell goes on in the keeper. */
export interface LostRun {
  readonly id: TerminalId;
  readonly commandLine: string;
  /** The newest entry when it was asked for. */
  readonly after: number;
  /** Until when it is waited for, by `performance.now()`. */
  readonly deadline: number;
  readonly maxOutputBytes?: number | undefined;
}

/** Waits for the end of a lost run as `runCommand` would have; undefined where nobody can tell what became of it. Runs nothing. */
export async function resumeRun(
  call: ToolCall,
  run: LostRun,
): Promise<RunCommandResult | undefined> {
  const begun = await findBegun(call, run);
  if (!begun) return undefined;
  const { id, after, maxOutputBytes } = run;
  const { commandId } = begun;
  const { outcome, inputNeeded, recordingBlocked } = await call.ask("waitFor", {
    id,
    until: [{ kind: "commandEnd", commandId }, { kind: "inputNeeded" }],
    after,
    timeoutMs: leftMs(run),
  });
  const { command, output } = await call.ask("readCommand", {
    id,
    commandId,
    ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
  });
  const result = { command, output, ...(recordingBlocked ? { recordingBlocked } : {}) };
  if (command.lastSequence === undefined) {
    if (outcome === "inputNeeded") return { outcome, inputNeeded, ...result };
    const isTold = outcome === "recordingBlocked" || outcome === "timeout";
    return isTold ? { outcome, ...result } : undefined;
  }
  if (command.endedBy === "exit") {
    return { outcome: "exited", shellExit: await readShellExit(call, id), ...result };
  }
  // Several lines are several commands, of which only the last has an exit code; and a daemon may have missed the end.
  const isKnown = command.exitCode !== undefined || command.signal !== undefined;
  return isKnown ? { outcome: "ended", ...result } : undefined;
}

/** The only command with this line since it was asked for. */
async function findBegun(call: ToolCall, run: LostRun): Promise<Command | undefined> {
  const { id, after, commandLine } = run;
  const list = async (): Promise<readonly Command[]> => {
    const { commands } = await call.ask("listCommands", { id, after });
    return commands.filter((one) => one.commandLine.trimEnd() === commandLine.trimEnd());
  };
  let found = await list();
  if (found.length === 0) {
    const timeoutMs = Math.min(MAX_BEGIN_MS, leftMs(run));
    await call.ask("waitFor", { id, until: [{ kind: "commandEnd" }], after, timeoutMs });
    found = await list();
  }
  return found.length === 1 ? found[0] : undefined;
}

async function readShellExit(call: ToolCall, id: TerminalId) {
  await call.ask("waitFor", { id, until: [{ kind: "exit" }], timeoutMs: MAX_EXIT_MS });
  const { exitCode, signal } = await call.ask("readTerminal", { id });
  return { exitCode, ...(signal === undefined ? {} : { signal }) };
}

const leftMs = ({ deadline }: LostRun): number =>
  Math.max(0, Math.ceil(deadline - performance.now()));
