// Exit codes of verbs that run a program and pass its own on, as `timeout` and container tools spell them.
import { constants } from "node:os";
import type { ErrorCode, NacreError } from "@nacre/contracts/error";

/** The deadline passed first. */
export const TIMED_OUT = 124;

/** It failed here, before or beside the program. */
export const OWN_FAILURE = 125;

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** What shells add to the number of a signal. */
export const SIGNAL_BASE = 128;

/** Nobody knows how it ended. */
const UNKNOWN_END = 1;

/** The codes of these verbs, for their help. */
export const ENDING_CODES = [
  ["n", "the program's own exit code"],
  [String(TIMED_OUT), "the deadline passed"],
  [String(OWN_FAILURE), "nacre itself failed"],
  [String(NOT_EXECUTABLE), "the program may not be executed"],
  [String(NOT_FOUND), "there is no such program"],
  [`${SIGNAL_BASE}+n`, "signal n ended the program"],
] as const;

/** How a program ended, as shells say it. */
export function exitCodeOf(exitCode: number | null, signal: string | undefined): number {
  if (exitCode !== null) return exitCode;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  const number = signal === undefined ? undefined : numbers[signal];
  return number === undefined ? UNKNOWN_END : SIGNAL_BASE + number;
}

/** The code for something that failed before there was a program. */
export function exitCodeOfError({ code }: NacreError): number {
  const codes: Partial<Record<ErrorCode, number>> = {
    command_not_found: NOT_FOUND,
    command_not_executable: NOT_EXECUTABLE,
    timeout: TIMED_OUT,
  };
  return codes[code] ?? OWN_FAILURE;
}
