// What a damaged search index costs: a moment in which it says so, never an answer that does not come.
import { closeSync, cpSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { terminalRow } from "../../testing/terminal-row.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { Recordings } from "../recordings.ts";
import { A, Output, TestDirectory } from "../testing/recordings.ts";
import { IndexReader } from "./index-reader.ts";
import { IndexStore } from "./index-store.ts";
import { Searcher } from "./searcher.ts";

/** Several threads are started for each case, which a busy machine takes its time for. */
const TIMEOUT_MS = 120_000;

const PAGE_BYTES = 4096;
const JUNK = Buffer.alloc(PAGE_BYTES, 0xa5);

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

/** An index of a few hundred kilobytes, all of it in its file. */
const made = directory.next();
beforeAll(async () => {
  await using recordings = await Recordings.open({ directory: made });
  const output = new Output(await recordings.create(terminalRow("a")));
  for (let n = 0; n < 2000; n++) void output.write(`${n} ${Math.random()} ${Math.random()}\r\n`);
  await output.write("a needle here\r\n");
  await recordings.whenIndexed();
}, TIMEOUT_MS);

function copyOfIndex(): string {
  const path = directory.next();
  cpSync(made, path, { recursive: true });
  return path;
}

/** Asks until it is found; what is told meanwhile may only be that the index is being made. */
const linesWith = (recordings: Recordings, text: string): Promise<string[]> =>
  vi.waitFor(
    async () => {
      const { hits } = await recordings.search({ text });
      if (hits.length === 0) throw new Error("nothing found yet");
      return hits.map(({ line }) => line);
    },
    { timeout: TIMEOUT_MS / 3, interval: 50 },
  );

function writePages(file: string, numbers: readonly number[]): void {
  const fd = openSync(file, "r+");
  for (const number of numbers) writeSync(fd, JUNK, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES);
  closeSync(fd);
}

function rootsOf(file: string, names: readonly string[]): number[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT name, rootpage FROM sqlite_schema").all();
  return rows.flatMap(({ name, rootpage }) =>
    names.includes(String(name)) ? [Number(rootpage)] : [],
  );
}

const pagesOf = (file: string): number => statSync(file).size / PAGE_BYTES;
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

/** Runs statements in the index as any other program could; all of it is in the file then. */
function execute(file: string, statements: string): void {
  using database = new DatabaseSync(file, { timeout: 20_000 });
  database.exec(statements);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

const AT_START: readonly [string, (file: string) => void][] = [
  ["cut in half", (file) => truncateSync(file, Math.floor(pagesOf(file) / 2) * PAGE_BYTES)],
  ["cut inside its first page", (file) => truncateSync(file, 1000)],
  ["with junk for what is indexed", (file) => writePages(file, rootsOf(file, ["indexed"]))],
  [
    "with junk for the order of its blocks",
    (file) => writePages(file, rootsOf(file, ["block_of_terminal", "block_in_progress"])),
  ],
  ["without commands", (file) => execute(file, "DROP TABLE command")],
];

test.each(AT_START)(
  "R-8: an index %s is made anew at the start",
  { timeout: TIMEOUT_MS },
  async (_name, damage) => {
    const path = copyOfIndex();
    damage(join(path, "search.db"));
    await using recordings = await Recordings.open({ directory: path });
    expect(await linesWith(recordings, "needle")).toEqual(["a needle here"]);
  },
);

test.each(AT_START.filter(([name]) => /cut|without/.test(name)))(
  "R-8: of an index %s is told once which file it is and what is done about it",
  { timeout: TIMEOUT_MS },
  async (_name, damage) => {
    const path = copyOfIndex();
    const file = join(path, "search.db");
    damage(file);
    const told: unknown[] = [];
    const handleIndexDamage = (error: unknown): void => void told.push(error);
    await using recordings = await Recordings.open({ directory: path, handleIndexDamage });
    await linesWith(recordings, "needle");
    expect(told.map(String)).toEqual([
      expect.stringContaining(`the search index ${file} is damaged and is being rebuilt`),
    ]);
  },
);

const WHILE_USED: readonly [string, (file: string) => void][] = [
  ["cut in half", (file) => truncateSync(file, Math.floor(pagesOf(file) / 2) * PAGE_BYTES)],
  [
    "with junk in every second page",
    (file) =>
      writePages(
        file,
        from(1, pagesOf(file) / 2).map((n) => n * 2),
      ),
  ],
  ["with nothing but junk", (file) => writePages(file, from(1, pagesOf(file)))],
  ["without blocks", (file) => execute(file, "DROP TABLE block")],
  ["without letters", (file) => execute(file, "DROP TABLE letters")],
];

test.each(WHILE_USED)(
  "R-8: an index %s while it is used is made anew",
  { timeout: TIMEOUT_MS },
  async (_name, damage) => {
    const path = copyOfIndex();
    await using recordings = await Recordings.open({ directory: path });
    expect(await linesWith(recordings, "needle")).toEqual(["a needle here"]);
    damage(join(path, "search.db"));
    // Whoever searches all the time does not keep it from being made.
    await new Output(await recordings.resume(A)).write("another thing\r\n");
    expect(await linesWith(recordings, "another")).toEqual(["another thing"]);
    expect(await linesWith(recordings, "needle")).toEqual(["a needle here"]);
  },
);

test("R-8: what is not found in an index that is being made is told as such", () => {
  using store = new MemoryStore();
  using index = new IndexStore(":memory:");
  const searcher = new Searcher(store, new IndexReader(index.database));
  expect(searcher.search({ text: "needle" })).toEqual({
    hits: [],
    truncated: false,
    indexing: true,
  });
  index.markBuilt();
  expect(searcher.search({ text: "needle" })).toEqual({ hits: [], truncated: false });
});
