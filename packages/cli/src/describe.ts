// Facts of the host in words for people.
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

// The state of the recordings' disk in words.

export const blockedWords = ({ reason }: Pick<RecordingBlocked, "reason">): string =>
  reason === "diskFull" ? "the disk is full" : "the disk fails";

export const blockedError = ({ message, suggestion }: RecordingBlocked): NacreError =>
  new NacreError("recording_blocked", safeText(message), { suggestion: safeText(suggestion) });

/** Undefined while all is well. */
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

/** A client's name after that of its caller, or an agent's session. */
export function describeHolder(claim: Claim): string {
  switch (claim.kind) {
    case "client":
      return claim.clientId;
    case "session":
      return `agent ${claim.session}`;
  }
}

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

export const LOST_WORDS: Readonly<Record<LostReason, string>> = {
  keeperEnded: "the keeper ended",
  machineRestarted: "the machine was restarted",
  hostEnded: "the daemon ended",
};

type Ending = Pick<Command, "exitCode" | "signal" | "durationMs">;

/** Exit code, signal, or unknown. */
export function describeEnding({ exitCode, signal, durationMs }: Ending): string {
  if (exitCode !== undefined) return String(exitCode);
  if (signal !== undefined) return signal;
  return durationMs === undefined ? "runs" : "?";
}

export const hasFailed = ({ exitCode, signal }: Ending): boolean =>
  signal !== undefined || (exitCode !== undefined && exitCode !== 0);
