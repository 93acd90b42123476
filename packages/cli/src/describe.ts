// How what the host tells is said to people, in a few words.
import type {
  Claim,
  Command,
  LostReason,
  RecordingBlocked,
  StorageInfo,
  TerminalSummary,
} from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { safeText } from "./print.ts";

// How the disk of the recordings is, in words for people.

/** Why a terminal cannot be recorded, in a few words. */
export const blockedWords = ({ reason }: Pick<RecordingBlocked, "reason">): string =>
  reason === "diskFull" ? "the disk is full" : "the disk fails";

/** That a terminal cannot be recorded, as a failure. */
export const blockedError = ({ message, suggestion }: RecordingBlocked): NacreError =>
  new NacreError("recording_blocked", safeText(message), { suggestion: safeText(suggestion) });

/** What is wrong with the disk and what to do; nothing while all is well. */
export function storageWarning(storage: StorageInfo): string | undefined {
  const { state, reason = "", suggestion = "" } = storage;
  switch (state) {
    case "ok":
      return undefined;
    case "low":
      return `! The disk runs low: ${reason}.\n  → ${suggestion}`;
    case "full":
      return `! The disk is full, and nothing is recorded or shown: ${reason}.\n  → ${suggestion}`;
    case "failing":
      return `! Nothing is recorded or shown: ${reason}.\n  → ${suggestion}`;
  }
}

/** Who holds a terminal: the name of a client behind that of its caller, or an agent's session. */
export function describeHolder(claim: Claim): string {
  switch (claim.kind) {
    case "client":
      return claim.clientId;
    case "session":
      return `agent ${claim.session}`;
  }
}

/** Why somebody has to look at a terminal; empty when nobody has to. */
export function describeNeed({ inputNeeded }: Pick<TerminalSummary, "inputNeeded">): string {
  switch (inputNeeded?.kind) {
    case "secret":
      return "asks for a secret";
    case "line":
      return "asks for a line";
    case "key":
      return "asks for a key";
    case "continuation":
      return "waits for the rest of a line";
    case undefined:
      return "";
  }
}

/** Why nobody saw a program end. */
export const LOST_WORDS: Readonly<Record<LostReason, string>> = {
  keeperEnded: "the keeper ended",
  machineRestarted: "the machine was restarted",
  hostEnded: "the daemon ended",
};

type Ending = Pick<Command, "exitCode" | "signal" | "durationMs">;

/** How a command ended: its exit code, its signal, or that nobody knows. */
export function describeEnding({ exitCode, signal, durationMs }: Ending): string {
  if (exitCode !== undefined) return String(exitCode);
  if (signal !== undefined) return signal;
  return durationMs === undefined ? "runs" : "?";
}

/** Whether a command failed, as far as is known. */
export const hasFailed = ({ exitCode, signal }: Ending): boolean =>
  signal !== undefined || (exitCode !== undefined && exitCode !== 0);
