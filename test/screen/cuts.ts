import assert from "node:assert/strict";
import { cutAt, parse, type Reading, screenOf } from "./cut-reading.ts";
import { readRecordings, type Recorded } from "./recordings.ts";
import { sequencesIn } from "./sequences.ts";

/** Bytes on both sides of a cut that are read when a whole recording would take too long. */
const WINDOW_BYTES = 64;

/** What was tried. */
export interface CutTally {
  recordings: number;
  bytes: number;
  /** Cuts after which everything was read to the end. */
  whole: number;
  /** Cuts inside of escape sequences, the same ones only once, with what stands around them. */
  inSequences: number;
  markers: number;
}

/** Cuts every recording in two: at every offset, or at some of them and inside of all its different escape sequences. */
export function tryCuts(options: {
  readonly stride: number;
  readonly progress: (done: number, of: number) => void;
}): CutTally {
  const { stride, progress } = options;
  const recordings = readRecordings();
  const tally: CutTally = { recordings: 0, bytes: 0, whole: 0, inSequences: 0, markers: 0 };
  const all = recordings.reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (const recorded of recordings) {
    const { bytes } = recorded;
    const whole = wholeOf(recorded);
    for (let at = stride === 1 ? 0 : stride >> 1; at <= bytes.length; at += stride) {
      checkCut(recorded, whole, at);
      tally.whole++;
      progress(tally.bytes + at, all);
    }
    if (stride > 1) tally.inSequences += cutSequences(recorded, whole.reading);
    checkByteByByte(recorded, whole);
    tally.recordings++;
    tally.bytes += bytes.length;
    tally.markers += whole.reading.markers.length;
  }
  return tally;
}

interface Whole {
  readonly reading: Reading;
  readonly screen: string;
}

function wholeOf(recorded: Recorded): Whole {
  const reading = parse(recorded, [recorded.bytes]);
  return { reading, screen: screenOf([reading.view]) };
}

function checkCut(recorded: Recorded, whole: Whole, at: number): void {
  const chunks = cutAt(recorded.bytes, at);
  checkReading(recorded, whole.reading, { chunks, at });
  if (at > whole.reading.view.length) return;
  const screen = screenOf(cutAt(whole.reading.view, at));
  assert.equal(screen, whole.screen, `${recorded.name} screen cut at ${at}`);
}

function checkReading(
  recorded: Pick<Recorded, "name" | "secret">,
  whole: Reading,
  { chunks, at }: { chunks: readonly Uint8Array<ArrayBuffer>[]; at: number },
): void {
  const { raw, view, replayed, markers, titles } = parse(recorded, chunks);
  const place = `${recorded.name} cut at ${at}`;
  assert.ok(isSame(raw, whole.raw), `raw output of ${place}`);
  assert.ok(isSame(view, whole.view), `view of ${place}`);
  assert.ok(isSame(replayed, whole.view), `view in a replay of ${place}`);
  assert.deepEqual(markers, whole.markers, `markers of ${place}`);
  assert.deepEqual(titles, whole.titles, `titles of ${place}`);
}

/** Where a marker is cut, all codes before it matter, so the first of each kind is read with them; elsewhere it is enough to read what stands around. */
function cutSequences(recorded: Recorded, whole: Reading): number {
  const { name, bytes } = recorded;
  const kinds = new Set<string>();
  const texts = new Set<string>();
  let cuts = 0;
  for (const { from, to, text, kind } of sequencesIn(bytes)) {
    if (texts.has(text)) continue;
    texts.add(text);
    const isNew = !kinds.has(kind);
    const isMarker = isNew && kind.startsWith("]633");
    const start = Math.max(0, from - WINDOW_BYTES);
    const window = { name, bytes: bytes.slice(start, to + WINDOW_BYTES) };
    const reading = isMarker ? whole : parse(window, [window.bytes]);
    const screen = isNew && !isMarker ? screenOf([window.bytes]) : undefined;
    kinds.add(kind);
    for (let at = from + 1; at < to; at++, cuts++) {
      const chunks = isMarker ? cutAt(bytes, at) : cutAt(window.bytes, at - start);
      checkReading(isMarker ? recorded : window, reading, { chunks, at });
      if (screen) assert.equal(screenOf(chunks), screen, `${name} screen cut at ${at}`);
    }
  }
  return cuts;
}

function checkByteByByte(recorded: Recorded, { reading, screen }: Whole): void {
  const chunks = Array.from(recorded.bytes, (byte) => Uint8Array.of(byte));
  checkReading(recorded, reading, { chunks, at: NaN });
  const views = Array.from(reading.view, (byte) => Uint8Array.of(byte));
  assert.equal(screenOf(views), screen, `${recorded.name} screen by bytes`);
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
