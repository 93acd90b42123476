import {
  DEFAULT_OUTPUT_BYTES,
  encodeBytes,
  type OutputPage,
  type OutputPosition,
  type ReadOutputInput,
} from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { OutputParser } from "../shell/output-parser.ts";
import { stripMarkers } from "../shell/strip-markers.ts";

/** Where output is read from. */
export interface OutputSource {
  /** Output, gap and exit entries after a sequence, in order. */
  readEntries(after: number, maxBytes: number): Promise<readonly RecordedEntry[]>;
  /** How much of the recording is kept. */
  readExtent(): Promise<{ readonly firstSequence: number }>;
  /** The exit entry, once there is one. */
  readExit(): Promise<Exit | undefined>;
}

type Exit = Extract<RecordedEntry, { type: "exit" }>;

type Bytes = Uint8Array<ArrayBuffer>;

interface OutputPageDraft {
  readonly pieces: Bytes[];
  byteCount: number;
  position: OutputPosition;
  missed: boolean;
  exit?: Exit | undefined;
}

/** Small entries fill a page in several reads; a page of very many is ended early, so that an answer comes soon. */
const MAX_READS = 16;

/** Reads output from a position on until the page is full; the same position gives the same bytes for as long as they are kept. */
export async function readOutput(
  source: OutputSource,
  input: Omit<ReadOutputInput, "id" | "waitMs">,
): Promise<OutputPage> {
  const { position = { after: 0 }, maxBytes = DEFAULT_OUTPUT_BYTES, view } = input;
  const { firstSequence } = await source.readExtent();
  const missed = position.after + 1 < firstSequence;
  const reading: OutputPageDraft = { pieces: [], byteCount: 0, position, missed };
  for (let reads = 0; reads < MAX_READS && reading.byteCount < maxBytes; reads++) {
    const room = maxBytes - reading.byteCount;
    const entries = await source.readEntries(reading.position.after, room);
    if (!takeEntries(reading, { entries, maxBytes, raw: view === "raw" })) break;
    if (entries.length > 0) continue;
    // Who asks again behind the end is told of it again.
    reading.exit = await source.readExit();
    break;
  }
  const { exit } = reading;
  return {
    ...encodeBytes(Buffer.concat(reading.pieces)),
    position: reading.position,
    ended: exit !== undefined,
    ...(reading.missed ? { missed: true } : {}),
    ...(exit ? { exitCode: exit.exitCode } : {}),
    ...(exit?.signal ? { signal: exit.signal } : {}),
  };
}

interface TakeEntriesInput extends Omit<TakeEntryInput, "entry"> {
  readonly entries: readonly RecordedEntry[];
}

/** Takes entries one by one; tells whether there was room for all of them and more may follow. */
function takeEntries(reading: OutputPageDraft, { entries, ...rest }: TakeEntriesInput): boolean {
  for (const entry of entries) {
    if (entry.type === "gap") reading.missed = true;
    if (entry.type === "exit") reading.exit = entry;
    if (entry.type === "output" && !takeEntry(reading, { entry, ...rest })) return false;
    reading.position = { after: entry.sequence };
  }
  return reading.exit === undefined;
}

interface TakeEntryInput {
  readonly entry: Extract<RecordedEntry, { type: "output" }>;
  readonly maxBytes: number;
  readonly raw: boolean;
}

/** Takes what fits of an output entry; tells whether all of it did. */
function takeEntry(reading: OutputPageDraft, { entry, maxBytes, raw }: TakeEntryInput): boolean {
  const data = entry.data;
  if (!data) return true;
  const skipped = Math.max(0, (reading.position.offset ?? 0) - entry.offset);
  const rest = data.subarray(Math.min(skipped, data.byteLength));
  const room = maxBytes - reading.byteCount;
  const isWhole = rest.byteLength <= room;
  const length = isWhole ? rest.byteLength : wholeLength(rest, room, reading.byteCount === 0);
  const piece = rest.slice(0, length);
  const shown = raw ? piece : stripMarkers(piece);
  reading.pieces.push(shown);
  reading.byteCount += piece.byteLength;
  if (!isWhole) {
    reading.position = {
      after: entry.sequence - 1,
      offset: entry.offset + skipped + length,
    };
  }
  return isWhole;
}

/** How many bytes can be taken without cutting a code point or an escape sequence; the first of them, however long, when that would be none. */
function wholeLength(bytes: Bytes, room: number, mustTake: boolean): number {
  for (let size = room; ; size *= 2) {
    const parser = new OutputParser();
    const part = bytes.slice(0, size);
    const { byteLength } = part;
    parser.push(part);
    const length = byteLength - parser.heldBytes;
    if (length > 0 || !mustTake) return length;
    // What the entry ends with was given up, and is complete as it is.
    if (byteLength === bytes.byteLength) return byteLength;
  }
}
