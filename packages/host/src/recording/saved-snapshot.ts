import { NacreError, parse, Size } from "@nacre/contracts";
import { checkSnapshotLimit } from "../store/snapshot-limit.ts";
import type { SnapshotRow } from "../store/store.ts";

/** A Snapshot that is kept beside a Recording, to draw later Screens from it; losing it costs only time. */
export interface SavedSnapshot {
  /** The last entry that is in it. */
  readonly sequence: number;
  readonly size: Size;
  /** Written and read by whoever draws screens. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Spells a snapshot as its row, with a copy of the bytes, which can be handed over to another thread. */
export function encodeSnapshotRow({ sequence, size, bytes }: SavedSnapshot): SnapshotRow {
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    throw new NacreError("invalid_argument", `sequence: no entry has the sequence ${sequence}`, {
      field: "sequence",
    });
  }
  const row = { sequence, ...parse(Size, size, "size"), state: bytes };
  checkSnapshotLimit(row);
  return { ...row, state: bytes.slice() };
}

/** Reads a snapshot back from its row; nothing when it was damaged. */
export function decodeSnapshotRow(row: SnapshotRow): SavedSnapshot | undefined {
  const { sequence, cols, rows, state } = row;
  const size = Size.safeParse({ cols, rows }).data;
  return size && { sequence, size, bytes: state };
}
