import assert from "node:assert/strict";
import { hostileStreams } from "./hostile-streams.ts";
import { type WaitLimits, WatchedScreens } from "./watched-screens.ts";

/** A full flood has a screen do the same so often. */
const FLOOD = 1000;

/** Ends whatever is open, and begins anew. */
const RECOVERY = "\u0018\u001b\\\u001bcright again";

const USUAL_SIZE = { cols: 80, rows: 24 };

/** Here the same output costs so much more that it may take longer, but not for others. */
const LARGE_SIZE = { cols: 500, rows: 300 };

/** What was tried. */
export interface HostileTally {
  streams: number;
  longestOtherMs: number;
  longestShownMs: number;
}

/** Shows hostile output in one terminal and looks at another one meanwhile. */
export async function tryHostile(options: {
  readonly isLarge: boolean;
  /** 1 has full floods. */
  readonly scale: number;
  readonly limits: WaitLimits;
  readonly progress: (done: number, of: number) => void;
}): Promise<HostileTally> {
  const { isLarge, scale, limits, progress } = options;
  const streams = hostileStreams(Math.max(100, FLOOD * scale));
  const tally: HostileTally = { streams: 0, longestOtherMs: 0, longestShownMs: 0 };
  await using screens = new WatchedScreens(isLarge ? LARGE_SIZE : USUAL_SIZE);
  await screens.begin();
  for (const { name, bytes } of streams) {
    const output = new TextEncoder().encode(bytes);
    const { shownMs, hash } = await show(screens, output);
    tally.longestShownMs = Math.max(tally.longestShownMs, shownMs);
    if (!isLarge) {
      assert.ok(shownMs <= limits.shownMs, `${name}: shown after ${shownMs.toFixed(0)} ms`);
      screens.expect(output);
      assert.equal(hash, screens.expected().hash, `${name}: what is shown`);
    }
    const recovery = new TextEncoder().encode(RECOVERY);
    screens.write(recovery);
    screens.expect(recovery);
    assert.equal((await screens.picture()).text.trimEnd(), "right again", name);
    tally.streams++;
    progress(tally.streams, streams.length);
  }
  assert.equal(screens.recoveries, 0, "output that the emulator failed at and that was left out");
  tally.longestOtherMs = screens.longestOtherMs;
  assert.ok(
    tally.longestOtherMs <= limits.otherMs,
    `another terminal waited ${tally.longestOtherMs.toFixed(0)} ms`,
  );
  return tally;
}

/** Writes, and looks at the other terminal again and again until everything is shown. */
async function show(
  screens: WatchedScreens,
  output: Uint8Array<ArrayBuffer>,
): Promise<{ shownMs: number; hash: string }> {
  const startedAt = performance.now();
  screens.write(output);
  let shownMs: number | undefined;
  const shown = screens.picture().then((picture) => {
    shownMs = performance.now() - startedAt;
    return picture;
  });
  do await screens.lookAtOther();
  while (shownMs === undefined);
  return { shownMs, hash: (await shown).hash };
}
