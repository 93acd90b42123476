// A whole set of recordings under load until it is ended from outside: `load-victim <directory> <seed> [<durability>] [--look=<uid>:<sequence>]…`.
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Recording } from "../../packages/host/src/recording/recording.ts";
import { Recordings } from "../../packages/host/src/recording/recordings.ts";
import {
  factOf,
  idOf,
  momentOf,
  needleOf,
  terminalOf,
  uidOf,
} from "../support/numbered-entries.ts";
import { seededRandom } from "../support/random.ts";
import { say } from "./said.ts";

/** The terminals that live as long as their store. */
const LASTING = ["a", "b", "c"];

/** So many entries are on their way at once. */
const IN_FLIGHT = 48;

/** Every so many groups something else happens beside recording. */
const DEED_EVERY = 6;

/** Older entries than these are removed now and then, so that a store stays small enough to be checked. */
const KEPT_ENTRIES = 150;
const MAX_ENTRIES = 400;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { look: { type: "string", multiple: true, default: [] } },
});
const [directory = "", seed = "1", durability] = positionals;
const random = seededRandom(Number(seed));

/** A recording with its place, so that what is recorded follows from both. */
interface Writing {
  readonly uid: string;
  readonly recording: Recording;
  end: number;
}

async function openTerminal(recordings: Recordings, uid: string): Promise<Writing> {
  const id = idOf(uid);
  if (await recordings.readTerminal(id)) {
    const { lastSequence } = await recordings.readExtent(id);
    return { uid, recording: await recordings.resume(id), end: lastSequence };
  }
  say({ say: "will", deed: "create", uid, sequence: 0 });
  const recording = await recordings.create(terminalOf(uid));
  say({ say: "did", deed: "create", uid, sequence: 0 });
  return { uid, recording, end: 0 };
}

/** Entries are acknowledged one by one, as they come. */
async function recordGroup(writing: Writing, count: number): Promise<void> {
  const { uid, recording } = writing;
  const first = writing.end + 1;
  writing.end += count;
  say({ say: "offer", through: { [uid]: writing.end } });
  const append = async (sequence: number): Promise<void> => {
    const entry = await recording.appendAt(factOf(uid, sequence), momentOf(sequence));
    if (entry.sequence !== sequence) throw new Error(`${uid} ${sequence} became ${entry.sequence}`);
    say({ say: "recorded", through: { [uid]: sequence } });
  };
  await Promise.all(Array.from({ length: count }, (_, index) => append(first + index)));
}

/** Removes a terminal; a purge leaves nothing of it in the files. */
async function removeTerminal(recordings: Recordings, uid: string, purged: boolean): Promise<void> {
  const { lastSequence } = await recordings.readExtent(idOf(uid));
  // A removal goes step by step, and may end between any two of them.
  say({ say: "will", deed: "trim", uid, sequence: lastSequence });
  say({ say: "will", deed: "delete", uid, sequence: 0 });
  if (purged) await recordings.purge(idOf(uid));
  else await recordings.delete(idOf(uid));
  say({ say: "did", deed: "delete", uid, sequence: 0 });
  if (purged) say({ say: "did", deed: "scrub", uid, sequence: 0 });
}

async function shortLife(recordings: Recordings): Promise<void> {
  const uid = `s${Math.floor(random() * 2 ** 32).toString(36)}`;
  const writing = await openTerminal(recordings, uid);
  await recordGroup(writing, 1 + Math.floor(random() * 20));
  if (random() < 0.5) {
    say({ say: "will", deed: "seal", uid, sequence: writing.end });
    await writing.recording.seal();
    say({ say: "did", deed: "seal", uid, sequence: writing.end });
  }
  if (random() < 0.7) await removeTerminal(recordings, uid, random() < 0.3);
}

/** Removes by age what was recorded long ago, of all terminals. */
async function keepSmall(recordings: Recordings, writings: readonly Writing[]): Promise<void> {
  const cut = Math.min(...writings.map(({ end }) => end)) - KEPT_ENTRIES;
  const { firstSequence } = await recordings.readExtent(idOf("a"));
  if (cut - firstSequence < MAX_ENTRIES - KEPT_ENTRIES) return;
  for (const { id } of await recordings.listTerminals({ limit: 1000 })) {
    const uid = uidOf(id);
    if (LASTING.includes(uid)) say({ say: "will", deed: "trim", uid, sequence: cut });
    else {
      const { lastSequence } = await recordings.readExtent(id);
      say({ say: "will", deed: "trim", uid, sequence: lastSequence - 1 });
      say({ say: "will", deed: "trim", uid, sequence: lastSequence });
      say({ say: "will", deed: "delete", uid, sequence: 0 });
    }
  }
  await recordings.applyRetention({ maxAgeMs: 0 }, momentOf(cut + 1).at);
  for (const uid of LASTING) say({ say: "did", deed: "trim", uid, sequence: cut });
}

/** Reads and searches beside recording, as people do. */
async function lookAround(recordings: Recordings, { uid, end }: Writing): Promise<void> {
  await recordings.readWindow(idOf(uid));
  await recordings.search({
    text: needleOf(uid, Math.max(1, end - KEPT_ENTRIES)),
    mode: "substring",
  });
}

/** Says whether everything that was recorded before can be found and proven. */
async function check(recordings: Recordings): Promise<void> {
  await recordings.whenIndexed();
  for (const look of values.look) {
    const [uid = "", sequence = ""] = look.split(":");
    const text = needleOf(uid, Number(sequence));
    const { hits } = await recordings.search({ text, mode: "substring" });
    say({ say: "found", text, sequences: hits.map((hit) => hit.sequence) });
  }
  for (const { id } of await recordings.listTerminals({ limit: 1000 })) {
    for await (const step of recordings.verify(id)) {
      if (!("ok" in step)) continue;
      say({ say: "verified", uid: uidOf(id), problem: step.ok ? undefined : step.reason });
    }
  }
}

const recordings = await Recordings.open({
  directory,
  durability: durability === "power" ? "power" : "process",
  floorBytes: 0,
  handleState: (state) => {
    if (state.state === "degraded") throw new Error(state.message);
  },
});
say({ say: "opened" });
if (values.look.length > 0) await check(recordings);
const writings: Writing[] = [];
for (const uid of LASTING) writings.push(await openTerminal(recordings, uid));
for (const writing of writings) await recordGroup(writing, 1);
say({ say: "ready" });

let others: Promise<void>[] = [];
for (let group = 1; ; group++) {
  const busy = writings.filter(() => random() < 0.7);
  const each = Math.ceil(IN_FLIGHT / Math.max(1, busy.length));
  await Promise.all(busy.map((writing) => recordGroup(writing, each)));
  await turn();
  if (group % DEED_EVERY !== 0) continue;
  await Promise.all(others);
  const [first] = writings;
  if (first) others = [shortLife(recordings), lookAround(recordings, first)];
  if (random() < 0.3) {
    await Promise.all(others);
    await keepSmall(recordings, writings);
  }
}
