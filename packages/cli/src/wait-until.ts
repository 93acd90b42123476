import { describeCommand, INPUT_WORDS, safeText } from "@nacre/client/ui";
import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId, WaitCondition, WaitResult } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Outcome } from "./command.ts";
import { blockedError } from "./describe.ts";

/** The host answers one wait after at most this long; then it is repeated. */
const MAX_TURN_MS = 10 * 60 * 1000;

export interface WaitUntilOptions {
  readonly id: TerminalId;
  readonly until: WaitCondition[];
  readonly after?: number | undefined;
  readonly timeoutMs: number;
}

/** So that nothing after this is missed. */
export async function readLastSequence(id: TerminalId, call: QuickCall): Promise<number> {
  const { sequence } = await call("waitFor", { id, until: [{ kind: "exit" }], timeoutMs: 0 });
  return sequence;
}

/** Of any length. */
export async function waitUntil(
  { id, until, after, timeoutMs }: WaitUntilOptions,
  call: QuickCall,
): Promise<WaitResult> {
  const deadline = performance.now() + timeoutMs;
  for (let from = after; ;) {
    const left = Math.max(0, Math.round(deadline - performance.now()));
    const found = await call("waitFor", {
      id,
      until,
      timeoutMs: Math.min(left, MAX_TURN_MS),
      ...(from === undefined ? {} : { after: from }),
    });
    if (found.outcome !== "timeout" || left <= MAX_TURN_MS) return found;
    from = found.sequence;
  }
}

/** Not finding what was waited for is a failure. */
export function waitOutcome(result: WaitResult, until: readonly WaitCondition[]): Outcome {
  const failure = failureOf(result, until);
  return { result, text: failure ? "" : foundText(result), ...(failure ? { failure } : {}) };
}

function failureOf(
  { outcome, inputNeeded, recordingBlocked }: WaitResult,
  until: readonly WaitCondition[],
): NacreError | undefined {
  const isUnmet = outcome === "timeout" || outcome === "recordingBlocked";
  if (isUnmet && recordingBlocked) return blockedError(recordingBlocked);
  if (isUnmet) {
    const now = inputNeeded ? `; the program ${INPUT_WORDS[inputNeeded.kind]}` : "";
    return new NacreError("timeout", `nothing of what was waited for happened in time${now}`, {
      suggestion: "Wait longer with --timeout, or look with `nacre screen`.",
    });
  }
  if (outcome !== "exit" || until.some(({ kind }) => kind === "exit")) return undefined;
  return new NacreError("terminal_exited", "the program ended before that happened", {
    suggestion: "See what it left with `nacre screen`.",
  });
}

function foundText({ outcome, match, command, inputNeeded }: WaitResult): string {
  switch (outcome) {
    case "text":
    case "regex":
      return safeText(match ?? "");
    case "commandEnd":
      return command
        ? `${describeCommand(command).words}: ${safeText(command.commandLine)}`
        : "A command ended.";
    case "inputNeeded":
      return `The program ${inputNeeded ? INPUT_WORDS[inputNeeded.kind] : "waits for input"}.`;
    case "prompt":
      return "The shell waits for a command.";
    case "idle":
      return "Nothing was written for a while.";
    case "screenStable":
      return "The screen did not change for a while.";
    case "exit":
      return "The program ended.";
    case "recordingBlocked":
    case "timeout":
      return "";
  }
}
