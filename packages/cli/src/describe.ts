// How what the host tells is said to people in lines of text.
import { describeHolder, describeStorage, safeText } from "@nacre/client/ui";
import type { Claim, RecordingBlocked, StorageInfo } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";

export const blockedError = ({ message, suggestion }: RecordingBlocked): NacreError =>
  new NacreError("recording_blocked", safeText(message), { suggestion: safeText(suggestion) });

/** Undefined while all is well. */
export function storageWarning(storage: StorageInfo): string | undefined {
  const { reason = "", suggestion = "" } = storage;
  const fact = describeStorage(storage);
  return fact && `! ${fact.words}. (${reason})\n  → ${suggestion}`;
}

/** Who holds a terminal. */
export function holderText(claim: Claim): string {
  const { kind, name } = describeHolder(claim);
  return kind === "agent" ? `agent ${name}` : name;
}
