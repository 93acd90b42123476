import assert from "node:assert/strict";
import { Emulator } from "../../packages/host/src/screen/emulator.ts";
import { renderScreen } from "../../packages/host/src/screen/render-screen.ts";
import { hashOf, parse } from "./cut-reading.ts";
import { RECORDED_SIZE, type Recorded, readRecordings } from "./recordings.ts";

const SCROLLBACK_LINES = 200;

/** What was tried. */
export interface SnapshotTally {
  recordings: number;
  /** Snapshots that went on to the same end. */
  saved: number;
  /** Pictures as escape sequences that were drawn to the same picture. */
  drawn: number;
}

/** Goes on from a snapshot, and from a picture as escape sequences, in the middle of every recording. */
export function trySnapshots(options: {
  readonly stride: number;
  readonly progress: (done: number, of: number) => void;
}): SnapshotTally {
  const { stride, progress } = options;
  const tally: SnapshotTally = { recordings: 0, saved: 0, drawn: 0 };
  const recordings = readRecordings();
  for (const recorded of recordings) {
    trySnapshotsOf(recorded, stride, tally);
    progress(++tally.recordings, recordings.length);
  }
  return tally;
}

function trySnapshotsOf(recorded: Recorded, stride: number, tally: SnapshotTally): void {
  const { view } = parse(recorded, [recorded.bytes]);
  using whole = freshEmulator();
  whole.writeAll(view);
  const end = hashOf(whole);
  using before = freshEmulator();
  for (let at = 0, next = stride >> 1; next < view.length; at = next, next += stride) {
    before.writeAll(view.subarray(at, next));
    const place = `${recorded.name} at ${next}`;
    const rest = view.subarray(next);
    const saved = before.save();
    using loaded = Emulator.load(saved);
    assert.equal(hashOf(loaded), hashOf(before), `snapshot of ${place}`);
    loaded.writeAll(rest);
    assert.equal(hashOf(loaded), end, `snapshot of ${place} and the rest`);
    assert.deepEqual(loaded.save(), whole.save(), `everything after a snapshot of ${place}`);
    tally.saved++;
    // A picture is text, and has no place for the half of a letter.
    if (isInLetter(view, next)) continue;
    using drawn = freshEmulator();
    const { content = "" } = renderScreen(before, { sequence: 0, format: "ansi" });
    drawn.writeAll(new TextEncoder().encode(content));
    assert.equal(hashOf(drawn), hashOf(before), `picture of ${place}`);
    drawn.writeAll(rest);
    assert.equal(hashOf(drawn), end, `picture of ${place} and the rest`);
    tally.drawn++;
  }
}

const freshEmulator = (): Emulator =>
  new Emulator({ size: RECORDED_SIZE, scrollback: SCROLLBACK_LINES });

const isInLetter = (bytes: Uint8Array, at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
