import { afterAll, describe, expect, test } from "vitest";
import { terminalRow } from "../testing/terminal-row.ts";
import { Recordings } from "./recordings.ts";
import { A, kindsOf, TestDirectory } from "./testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

const BEGAN = Date.parse("2026-01-01T00:00:00.000Z");

describe.each(kindsOf(directory))("timelines of recordings %s", (_name, options) => {
  /** A recording with an entry at each of these moments. */
  async function recorded(recordings: Recordings, moments: readonly number[]) {
    const recording = await recordings.create(terminalRow("a"));
    for (const elapsedMs of moments) {
      await recording.appendAt({ type: "clear" }, { at: BEGAN + elapsedMs, elapsedMs });
    }
    return recording;
  }

  test("name the newest entry of moments at even distances", async () => {
    await using recordings = await Recordings.open(options());
    // Busy for a second, then nothing for nine.
    const moments = [...Array.from({ length: 11 }, (_, index) => index * 100), 10_000];
    const recording = await recorded(recordings, moments);
    const timeline = await recordings.readTimeline({ id: A, points: 6 });
    expect(timeline).toEqual({
      id: A,
      startedAt: "2026-01-01T00:00:00.000Z",
      durationMs: 10_000,
      firstSequence: 1,
      lastSequence: 12,
      sealed: false,
      points: [
        { elapsedMs: 0, sequence: 1 },
        { elapsedMs: 2000, sequence: 11 },
        { elapsedMs: 4000, sequence: 11 },
        { elapsedMs: 6000, sequence: 11 },
        { elapsedMs: 8000, sequence: 11 },
        { elapsedMs: 10_000, sequence: 12 },
      ],
    });
    await recording.seal();
    const sealed = await recordings.readTimeline({ id: A });
    expect([sealed.sealed, sealed.points.length]).toEqual([true, 200]);
  });

  test("find the newest entry at any moment, as counting through does", async () => {
    await using recordings = await Recordings.open(options());
    const moments = [0, 0, 5, 5, 5, 9, 100, 100, 3000];
    await recorded(recordings, moments);
    for (const elapsedMs of [0, 1, 4, 5, 6, 9, 99, 100, 101, 2999, 3000, 1e9]) {
      const expected = moments.findLastIndex((moment) => moment <= elapsedMs) + 1;
      expect(await recordings.findSequenceAt(A, elapsedMs)).toBe(expected);
    }
  });

  test("begin where a recording does since its oldest entries are gone", async () => {
    await using recordings = await Recordings.open(options());
    await recorded(recordings, [0, 1000, 2000, 3000]);
    await recordings.applyRetention({ maxAgeMs: 0 }, BEGAN + 2000);
    const timeline = await recordings.readTimeline({ id: A, points: 2 });
    expect(timeline).toMatchObject({
      startedAt: "2026-01-01T00:00:00.000Z",
      durationMs: 3000,
      firstSequence: 3,
      points: [
        { elapsedMs: 2000, sequence: 3 },
        { elapsedMs: 3000, sequence: 4 },
      ],
    });
    expect(await recordings.findSequenceAt(A, 0)).toBe(3);
  });

  test("are empty while nothing is recorded, and of nothing there is none", async () => {
    await using recordings = await Recordings.open(options());
    await recordings.create(terminalRow("a"));
    const timeline = await recordings.readTimeline({ id: A });
    expect(timeline).toMatchObject({ durationMs: 0, lastSequence: 0, points: [] });
    expect(await recordings.findSequenceAt(A, 0)).toBeUndefined();
    const { id } = terminalRow("nobody");
    const missing = { code: "terminal_not_found" };
    await expect(recordings.readTimeline({ id })).rejects.toMatchObject(missing);
    await expect(recordings.findSequenceAt(id, 0)).rejects.toMatchObject(missing);
  });
});
