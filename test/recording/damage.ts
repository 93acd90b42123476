// Damages copies of a store where nobody looks: bits, sectors and ends of its files; what is read afterwards is right, or said to be wrong.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { verifyRecording } from "../../packages/host/src/recording/verify.ts";
import { openSqliteReader } from "../../packages/host/src/store/sqlite-store.ts";
import type { EntryRow, StoreReader } from "../../packages/host/src/store/store.ts";
import { idOf, problemOf } from "../support/numbered-entries.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { seededRandom } from "../support/random.ts";
import { compareWhole, readWhole, type WholeTerminal } from "./read-whole.ts";
import { recordSample, SAMPLE_TERMINALS } from "./sample-store.ts";

/** What a run of damages is made of. */
export interface DamageRun {
  readonly trials: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** What became of damaged stores; `wrong` must stay empty. */
export interface DamageTally {
  harmless: number;
  found: number;
  /** The log ends earlier, and with it recordings do; what is left of them is right. */
  shortened: number;
  /** A seal is lost: its recording is right, but looks as if it had never been closed. */
  unsealed: number;
  /** Something else than what was recorded is handed out as good. */
  readonly wrong: string[];
}

const SECTOR_BYTES = 512;

type Outcome = "harmless" | "found" | "shortened" | "unsealed" | { readonly wrong: string };

/** Damages so many copies and reads all of each. */
export function tryDamages({ trials, seed, progress }: DamageRun): DamageTally {
  using sample = recordSample();
  const random = seededRandom(seed);
  const draw = (below: number): number => Math.floor(random() * below);
  const tally: DamageTally = { harmless: 0, found: 0, shortened: 0, unsealed: 0, wrong: [] };
  const asRecorded = readAll(sample.path);
  for (let trial = 1; trial <= trials; trial++) {
    const isFolded = draw(4) > 0;
    const source = isFolded ? sample.path : sample.unfoldedPath;
    const end = isFolded || draw(2) === 0 ? "" : "-wal";
    using copy = copyOf(source);
    const what = damage(copy.path + end, draw);
    const outcome = lookAt(copy.path, end, asRecorded);
    if (typeof outcome === "string") tally[outcome]++;
    else
      tally.wrong.push(
        `trial ${trial}, ${what} of the ${end === "" ? "store" : "log"}: ${outcome.wrong}`,
      );
    progress(trial, trials);
  }
  return tally;
}

function readAll(path: string): Map<string, WholeTerminal> {
  using store = openSqliteReader(path);
  return new Map(SAMPLE_TERMINALS.map(({ uid }) => [uid, readWhole(store, uid)]));
}

function copyOf(source: string): Disposable & { readonly path: string } {
  const own = ownDirectory();
  const path = join(own.path, "recordings.db");
  for (const end of ["", "-wal"]) {
    if (existsSync(source + end)) copyFileSync(source + end, path + end);
  }
  return { path, [Symbol.dispose]: () => own[Symbol.dispose]() };
}

/** Flips a bit, clears a sector or cuts a file off; says which. */
function damage(path: string, draw: (below: number) => number): string {
  const content = readFileSync(path);
  const kind = draw(5);
  if (kind === 0) {
    const bytes = draw(content.byteLength);
    writeFileSync(path, content.subarray(0, bytes));
    return `end after byte ${bytes}`;
  }
  const place = drawPlace(content, draw);
  if (kind === 1) {
    const start = place - (place % SECTOR_BYTES);
    content.fill(0, start, start + SECTOR_BYTES);
    writeFileSync(path, content);
    return `zeros from byte ${start}`;
  }
  const bit = draw(8);
  content[place] = (content[place] ?? 0) ^ (1 << bit);
  writeFileSync(path, content);
  return `bit ${bit} of byte ${place}`;
}

/** Pages that lead to others, by the first byte of a page; few of them are many pages' only way to be found. */
const LEADING_PAGES = [2, 5, 10];
const PAGE_BYTES = 4096;

/** Half of all damages are to pages that lead to others. */
function drawPlace(content: Buffer, draw: (below: number) => number): number {
  const pages = Array.from(
    { length: Math.floor(content.byteLength / PAGE_BYTES) },
    (_, page) => page,
  );
  const leading = pages.filter((page) => LEADING_PAGES.includes(content[page * PAGE_BYTES] ?? 0));
  const page = leading[draw(Math.max(1, leading.length))];
  if (page === undefined || draw(2) === 0) return draw(content.byteLength);
  return page * PAGE_BYTES + draw(PAGE_BYTES);
}

/** Reads a damaged store as its readers do; the worst of what its terminals show counts. */
function lookAt(
  path: string,
  end: string,
  asRecorded: ReadonlyMap<string, WholeTerminal>,
): Outcome {
  let store: StoreReader;
  try {
    store = openSqliteReader(path);
  } catch {
    return "found"; // It says by itself that it is damaged.
  }
  using _ = store;
  const outcomes = [...asRecorded].map(([uid, before]) =>
    lookAtTerminal(store, uid, { before, end }),
  );
  const wrong = outcomes.find((outcome) => typeof outcome !== "string");
  if (wrong !== undefined) return wrong;
  const order = ["shortened", "unsealed", "found"] as const;
  return order.find((outcome) => outcomes.includes(outcome)) ?? "harmless";
}

interface Before {
  readonly before: WholeTerminal;
  /** How the name of the damaged file ends. */
  readonly end: string;
}

function lookAtTerminal(store: StoreReader, uid: string, { before, end }: Before): Outcome {
  const read = compareWhole(store, uid, before);
  if (read === "same") return "harmless";
  if (read === "error" || !isProven(store, uid)) return "found";
  if (end === "-wal" && isEarlier(store, uid)) return "shortened";
  // Whoever can drop entries can drop the seal as well, so nothing rests on it being there.
  if (read === "unsealed") return "unsealed";
  return { wrong: `${uid} is proven and reads otherwise` };
}

function isProven(store: StoreReader, uid: string): boolean {
  try {
    const isProven = [...verifyRecording(store, idOf(uid))].some((step) => "ok" in step && step.ok);
    // A proof reads in order; what leads to entries otherwise is looked at by the store itself.
    return isProven && store.findDamage() === undefined;
  } catch {
    return false; // What cannot be proven is not taken for good.
  }
}

/** Tells whether a recording is as it was earlier: what is there of it is right, whichever way it is asked for. */
function isEarlier(store: StoreReader, uid: string): boolean {
  const terminalId = idOf(uid);
  const read = (query: object): EntryRow[] =>
    store.readEntries({ terminalId, limit: 100_000, maxBytes: Number.MAX_SAFE_INTEGER, ...query });
  const rows = read({});
  const isRight = rows.every((row) => problemOf(uid, row) === undefined);
  const inputs = rows.filter(({ type }) => type === "input");
  return isRight && isDeepStrictEqual(read({ types: ["input"] }), inputs);
}
