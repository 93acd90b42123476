import type { ControlRequest, InputNeeded, InputRequest, TerminalSummary } from "@nacre/contracts";
import { hasFailed } from "../parts/failed.ts";
import { isSeen } from "./seen.ts";

/** Something that waits for a person. */
export type Need =
  | {
      readonly kind: "control";
      readonly terminal: TerminalSummary;
      readonly request: ControlRequest;
    }
  | { readonly kind: "asked"; readonly terminal: TerminalSummary; readonly request: InputRequest }
  | { readonly kind: "input"; readonly terminal: TerminalSummary; readonly needed: InputNeeded }
  | {
      readonly kind: "failed";
      readonly terminal: TerminalSummary;
      /** What failed; empty where it is the program of the terminal. */
      readonly line: string;
      readonly ending: string;
    };

/** What of a terminal waits for a person, what is most urgent first. */
export function needsOf(terminal: TerminalSummary): readonly Need[] {
  const { inputRequests = [], controlRequests = [], inputNeeded } = terminal;
  const asked = [
    ...inputRequests.map((request) => ({ kind: "asked", terminal, request }) as const),
    ...controlRequests.map((request) => ({ kind: "control", terminal, request }) as const),
  ];
  // Who asks for input tells more than that the program waits.
  if (inputRequests.length > 0) return asked;
  if (inputNeeded && isForPeople(terminal, inputNeeded)) {
    return [...asked, { kind: "input", terminal, needed: inputNeeded }];
  }
  const failed = failureOf(terminal);
  return failed && !isSeen(terminal) ? [...asked, failed] : asked;
}

/** Whether somebody has to be told that a program waits: a person who drives an editor knows that it waits for keys; an agent may wait for a person. */
export function isForPeople({ claim }: TerminalSummary, { kind }: InputNeeded): boolean {
  return kind === "secret" || kind === "line" || claim.claim.kind === "session";
}

function failureOf(terminal: TerminalSummary): Need | undefined {
  const { state, exitCode, signal, lastCommand, runningCommand } = terminal;
  if (state === "failed") return { kind: "failed", terminal, line: "", ending: "did not start" };
  if (state === "exited") {
    // What a shell ends with is the code of its last command, which was told; who sent a signal knows.
    if (signal !== undefined || lastCommand) return undefined;
    if (!hasFailed({ exitCode: exitCode ?? undefined })) return undefined;
    return { kind: "failed", terminal, line: "", ending: `exit ${exitCode}` };
  }
  if (!lastCommand || runningCommand || !hasFailed(lastCommand)) return undefined;
  const { exitCode: code, signal: by, commandLine } = lastCommand;
  return { kind: "failed", terminal, line: commandLine, ending: by ?? `exit ${code}` };
}
