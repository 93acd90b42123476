// How the disk of the recordings is, in words for people.
import type { RecordingBlocked, StorageInfo } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { safeText } from "./print.ts";

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
