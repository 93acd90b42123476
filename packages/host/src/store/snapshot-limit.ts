import { NacreError } from "@nacre/contracts";
import type { SnapshotRow } from "./store.ts";

/** What is larger costs more to write and to read than it saves; later screens are then drawn from an older one. */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

/** Refuses a snapshot that is too large to be kept. */
export function checkSnapshotLimit({ state }: SnapshotRow): void {
  if (state.byteLength <= MAX_SNAPSHOT_BYTES) return;
  throw new NacreError(
    "payload_too_large",
    `a snapshot has at most ${MAX_SNAPSHOT_BYTES} bytes, not ${state.byteLength}`,
    { field: "bytes" },
  );
}
