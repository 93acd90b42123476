import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { Random } from "../support/random.ts";
import { fuzzedSequence } from "./fuzz-sequences.ts";
import { wrongOfReply } from "./reply-check.ts";
import { type WaitLimits, WatchedScreens } from "./watched-screens.ts";

const SIZE = { cols: 80, rows: 24 };

/** Sequences that come at once, as a program would write them. */
const AT_ONCE = 100;

const MAX_COLS = 160;
const MAX_ROWS = 50;

/** After so many the screens are looked at. */
const BETWEEN_LOOKS = 2000;

/** Makes the screen begin anew now and then: after some modes, much of what follows has no effect. */
const ANEW = Buffer.from("\u0018\u001b\\\u001bc");

/** What was tried. */
export interface FuzzTally {
  sequences: number;
  bytes: number;
  replies: number;
  recoveries: number;
  longestShownMs: number;
  longestOtherMs: number;
}

/** Shows fuzzed sequences in one terminal and looks at another one meanwhile. */
export async function tryFuzz(options: {
  readonly sequences: number;
  readonly seed: number;
  readonly limits: WaitLimits;
  readonly progress: (done: number, of: number) => void;
}): Promise<FuzzTally> {
  const { sequences, seed, limits, progress } = options;
  const random = new Random(seed);
  const tally: FuzzTally = {
    sequences: 0,
    bytes: 0,
    replies: 0,
    recoveries: 0,
    longestShownMs: 0,
    longestOtherMs: 0,
  };
  await using screens = new WatchedScreens(SIZE);
  await screens.begin();
  while (tally.sequences < sequences) {
    const parts = Array.from({ length: AT_ONCE }, () => fuzzedSequence(random));
    if (random.chance(0.1)) parts.push(ANEW);
    const output = new Uint8Array(Buffer.concat(parts));
    screens.write(output);
    screens.expect(output);
    if (random.chance(0.1)) {
      screens.resize({ cols: random.between(1, MAX_COLS), rows: random.between(1, MAX_ROWS) });
    }
    tally.sequences += AT_ONCE;
    tally.bytes += output.length;
    if (tally.sequences % BETWEEN_LOOKS === 0) {
      await look(screens, tally, seed);
      progress(tally.sequences, sequences);
    } else await turn();
  }
  await look(screens, tally, seed);
  tally.recoveries = screens.recoveries;
  tally.longestOtherMs = screens.longestOtherMs;
  assert.ok(
    tally.longestShownMs <= limits.shownMs,
    `shown after ${tally.longestShownMs.toFixed(0)} ms`,
  );
  assert.ok(
    tally.longestOtherMs <= limits.otherMs,
    `another terminal waited ${tally.longestOtherMs.toFixed(0)} ms`,
  );
  return tally;
}

async function look(screens: WatchedScreens, tally: FuzzTally, seed: number): Promise<void> {
  const startedAt = performance.now();
  const [picture] = await Promise.all([screens.picture(), screens.lookAtOther()]);
  const shownMs = performance.now() - startedAt;
  const place = `seed ${seed}, up to sequence ${tally.sequences}`;
  assert.equal(picture.hash, screens.expected().hash, `the screen of ${place}`);
  tally.longestShownMs = Math.max(tally.longestShownMs, shownMs);
  for (const replies of [screens.replies, screens.allReplies]) {
    const wrong = replies.map(wrongOfReply).filter((one) => one !== undefined);
    assert.deepEqual(wrong, [], place);
  }
  tally.replies += screens.allReplies.length;
  screens.replies.length = 0;
  screens.allReplies.length = 0;
}
