import type { RecordedEntry } from "../recorded-entry.ts";

/** Smaller parts are copied together up to this size; larger ones are cheaper to hand on as they are. */
const PIECE_BYTES = 16 * 1024;

/** Hands out the bytes of the output and nothing else; a large entry's own bytes, not a copy. */
export function* exportRaw(entries: Iterable<RecordedEntry>): Generator<Uint8Array<ArrayBuffer>> {
  let gathered = new Uint8Array(PIECE_BYTES);
  let gatheredBytes = 0;
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) continue;
    const { data } = entry;
    if (gatheredBytes + data.length > PIECE_BYTES && gatheredBytes > 0) {
      yield gathered.subarray(0, gatheredBytes);
      gathered = new Uint8Array(PIECE_BYTES);
      gatheredBytes = 0;
    }
    if (data.length >= PIECE_BYTES) {
      yield data;
    } else {
      gathered.set(data, gatheredBytes);
      gatheredBytes += data.length;
    }
  }
  if (gatheredBytes > 0) yield gathered.subarray(0, gatheredBytes);
}
