// What screens promise, measured: against tmux, against hostile output, and on recordings of real programs.
import assert from "node:assert/strict";
import { type Target, type Run, times } from "../support/target.ts";
import { tryCuts } from "./cuts.ts";
import { runDifferential, type Tally } from "./differential.ts";
import { tryFuzz } from "./fuzz.ts";
import { tryHostile } from "./hostile.ts";
import type { WaitLimits } from "./watched-screens.ts";
import { trySnapshots } from "./snapshots.ts";

/** Of the basic cases, at least so many must agree. */
const MIN_BASIC_SHARE = 0.999;

/** In a short run, cuts are this far apart; a prime number, so that they are not all alike. */
const SHORT_CUT_STRIDE = 1009;

/** Snapshots are taken this far apart; at every byte it would take an hour. */
const SNAPSHOT_STRIDE = 13;
const SHORT_SNAPSHOT_STRIDE = 997;

/** What is promised. */
const LIMITS: WaitLimits = { shownMs: 1000, otherMs: 500 };

/** A short run shares the machine with other tests, and is held to less. */
const SHORT_LIMITS: WaitLimits = { shownMs: 5000, otherMs: 2500 };

const heldTo = (scale: number): string =>
  scale < 1
    ? ` (a short run is held to ${SHORT_LIMITS.shownMs} and ${SHORT_LIMITS.otherMs} ms only)`
    : "";

const limitsOf = (scale: number): WaitLimits => (scale < 1 ? SHORT_LIMITS : LIMITS);

const INDENT = "\n           ";

async function sameAsTmux({ scale, seed, progress }: Run): Promise<string> {
  const tally = await runDifferential({ cases: times(10_000, scale), seed, progress });
  const { unknown, unknownCount } = tally;
  const explained = `${unknownCount} differences that nothing explains:${INDENT}${unknown.join(INDENT)}`;
  assert.equal(unknownCount, 0, explained);
  const basic = tally.cases.get("basic");
  assert.ok(basic && basic.agreed >= basic.all * MIN_BASIC_SHARE, spellTally(tally));
  return spellTally(tally);
}

function spellTally({ cases, known }: Tally): string {
  const classes = [...cases].map(([kind, { all, agreed }]) => `${kind} ${agreed} of ${all}`);
  const rules = [...known]
    .toSorted(([, one], [, other]) => other - one)
    .map(([{ name, right }, count]) => `${count} × ${name} (right: ${right})`);
  return [`agree: ${classes.join(", ")}`, "known differences:", ...rules].join(INDENT);
}

async function hostileOutput({ scale, progress }: Run): Promise<string> {
  const options = { scale, limits: limitsOf(scale), progress };
  const usually = await tryHostile({ ...options, isLarge: false });
  const usual = `${usually.streams} streams: shown rightly after ${usually.longestShownMs.toFixed(0)} ms at most, another screen of the same thread after ${usually.longestOtherMs.toFixed(0)} ms`;
  if (scale < 1) return usual + heldTo(scale);
  const large = await tryHostile({ ...options, isLarge: true });
  return `${usual}; on 500 × 300 cells after ${large.longestShownMs.toFixed(0)} ms, another after ${large.longestOtherMs.toFixed(0)} ms`;
}

async function fuzzedOutput({ scale, seed, progress }: Run): Promise<string> {
  const sequences = times(1_000_000, scale);
  const tally = await tryFuzz({ sequences, seed, limits: limitsOf(scale), progress });
  return `${tally.sequences} sequences, ${(tally.bytes / 1e6).toFixed(1)} MB: shown rightly after ${tally.longestShownMs.toFixed(0)} ms at most, another screen after ${tally.longestOtherMs.toFixed(0)} ms; ${tally.replies} replies of fixed forms; ${tally.recoveries} failures of the emulator${heldTo(scale)}`;
}

function cutRecordings({ scale, progress }: Run): Promise<string> {
  const tally = tryCuts({ stride: scale < 1 ? SHORT_CUT_STRIDE : 1, progress });
  const inside = scale < 1 ? `, and at ${tally.inSequences} offsets inside of sequences` : "";
  return Promise.resolve(
    `${tally.recordings} recordings, ${tally.bytes} bytes, ${tally.markers} markers: cut in two at ${tally.whole} offsets${inside}, and byte by byte: the same`,
  );
}

function snapshots({ scale, progress }: Run): Promise<string> {
  const stride = scale < 1 ? SHORT_SNAPSHOT_STRIDE : SNAPSHOT_STRIDE;
  const tally = trySnapshots({ stride, progress });
  return Promise.resolve(
    `${tally.recordings} recordings: ${tally.saved} snapshots and ${tally.drawn} pictures as escape sequences, each with the rest: the same`,
  );
}

/** The suite, in the order in which it is run and printed. */
export const SCREEN_TARGETS: readonly Target[] = [
  {
    id: "tmux",
    name: "the same screen as tmux",
    requirement: "basic ≥ 99.9 %, every other difference known",
    measure: sameAsTmux,
  },
  {
    id: "hostile",
    name: "output that hangs or crashes terminals",
    requirement: "shown in 1 s, others in 500 ms",
    measure: hostileOutput,
  },
  {
    id: "fuzz",
    name: "fuzzed output",
    requirement: "shown in 1 s, others in 500 ms, replies of fixed forms only",
    measure: fuzzedOutput,
  },
  {
    id: "cuts",
    name: "recordings in pieces",
    requirement: "the same markers, titles, text and screen",
    measure: cutRecordings,
  },
  {
    id: "middle",
    name: "recordings from the middle",
    requirement: "the same screen",
    measure: snapshots,
  },
];
