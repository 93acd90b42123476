import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SearchQuery } from "@nacre/contracts";
import { afterAll, expect, test, vi } from "vitest";
import { terminalRow } from "../../testing/terminal-row.ts";
import { Recordings } from "../recordings.ts";
import { A, Output, TestDirectory } from "../testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

const linesOf = async (recordings: Recordings, query: SearchQuery): Promise<string[]> =>
  (await recordings.search(query)).hits.map(({ line }) => line);

/** Asks until the answer is right: an index that is made anew takes a moment. */
const eventually = (recordings: Recordings, query: SearchQuery): Promise<string[]> =>
  vi.waitFor(
    async () => {
      const lines = await linesOf(recordings, query);
      if (lines.length === 0) throw new Error("nothing found yet");
      return lines;
    },
    { timeout: 10_000 },
  );

async function indexedIn(
  path: string,
  handleIndexDamage?: (error: unknown) => void,
): Promise<Recordings> {
  const told = handleIndexDamage ? { handleIndexDamage } : {};
  const recordings = await Recordings.open({ directory: path, ...told });
  await new Output(await recordings.create(terminalRow("a"))).write("a needle here\r\n");
  await recordings.whenIndexed();
  expect(await linesOf(recordings, { text: "needle" })).toEqual(["a needle here"]);
  return recordings;
}

test("F-S4: a damaged block is found and told, and the index made anew, without anybody's help", async () => {
  const path = directory.next();
  const damage: unknown[] = [];
  await using recordings = await indexedIn(path, (error) => damage.push(error));
  // The indexer may be at work still.
  const database = new DatabaseSync(join(path, "search.db"), { timeout: 10_000 });
  database.exec("UPDATE block SET text = x'00'");
  database.close();
  await expect(recordings.search({ text: "needle" })).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(damage).toEqual([expect.any(Error)]);
  expect(await eventually(recordings, { text: "needle" })).toEqual(["a needle here"]);
});

test("an index that is taken away while it is used is made anew", async () => {
  const path = directory.next();
  await using recordings = await indexedIn(path);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(path, `search.db${end}`));
  await recordings.search({ text: "needle" }).catch(() => undefined);
  expect(await eventually(recordings, { text: "needle" })).toEqual(["a needle here"]);
});

test.each([
  ["that is no database", (file: string) => writeFileSync(file, "x".repeat(10_000))],
  [
    "of another form",
    (file: string) => {
      const database = new DatabaseSync(file);
      database.exec("PRAGMA user_version = 99");
      database.close();
    },
  ],
  [
    "that does not know where it stands",
    (file: string) => {
      const database = new DatabaseSync(file);
      database.exec(`UPDATE indexed SET through = 0, state = '{"typed":5}'`);
      database.close();
    },
  ],
])("an index %s is made anew at the start", async (_name, damage) => {
  const path = directory.next();
  await (await indexedIn(path))[Symbol.asyncDispose]();
  damage(join(path, "search.db"));
  await using recordings = await Recordings.open({ directory: path });
  await recordings.whenIndexed();
  expect(await eventually(recordings, { text: "needle" })).toEqual(["a needle here"]);
});

test("an index of a store that was put back is not believed", async () => {
  const [path, copy] = [directory.next(), directory.next()];
  await (await indexedIn(path))[Symbol.asyncDispose]();
  mkdirSync(copy);
  copyFileSync(join(path, "recordings.db"), join(copy, "recordings.db"));
  {
    await using recordings = await Recordings.open({ directory: path });
    await new Output(await recordings.resume(A)).write("phantom\r\n");
    await recordings.whenIndexed();
  }
  copyFileSync(join(copy, "recordings.db"), join(path, "recordings.db"));
  await using recordings = await Recordings.open({ directory: path });
  await new Output(await recordings.resume(A)).write("real\r\n");
  await recordings.whenIndexed();
  expect(await linesOf(recordings, { text: "phantom" })).toEqual([]);
  expect(await linesOf(recordings, { text: "real" })).toEqual(["real"]);
  expect(await linesOf(recordings, { text: "needle" })).toEqual(["a needle here"]);
});

test("pages go on where they were although the terminal goes on, too", async () => {
  await using recordings = await Recordings.open();
  const output = new Output(await recordings.create(terminalRow("a")));
  for (let n = 0; n < 8; n++) await output.write(`hit ${n}\r\n`);
  await recordings.whenIndexed();
  const first = await recordings.search({ text: "hit", limit: 3 });
  expect(first.hits.map(({ line }) => line)).toEqual(["hit 7", "hit 6", "hit 5"]);
  // More than fits into a block: what was on the screen moves into others.
  for (let n = 0; n < 1000; n++) void output.write(`more ${n} ${"x".repeat(70)}\r\n`);
  await output.write("end\r\n");
  await recordings.whenIndexed();
  const after = first.nextAfter ?? "";
  const rest = await recordings.search({ text: "hit", limit: 10, after });
  expect(rest.hits.map(({ line }) => line)).toEqual(["hit 4", "hit 3", "hit 2", "hit 1", "hit 0"]);
});

test("a line is as old as the entry it began in, however long it stays on the screen", async () => {
  await using recordings = await Recordings.open();
  const recording = await recordings.create(terminalRow("a"));
  const now = Date.now();
  const append = (text: string, at: number) =>
    recording.appendAt(
      { type: "output", offset: 0, data: new Uint8Array(Buffer.from(text)) },
      { at, elapsedMs: 0 },
    );
  await append("old needle\r\n", now - 5_000_000_000);
  await recordings.whenIndexed();
  await append("new needle\r\n", now - 1000);
  await recordings.whenIndexed();
  const since = new Date(now - 60_000).toISOString();
  expect(await linesOf(recordings, { text: "needle", since })).toEqual(["new needle"]);
  expect(await linesOf(recordings, { text: "needle", until: since })).toEqual(["old needle"]);
});

test("what retention removed is not shown around a hit", async () => {
  await using recordings = await Recordings.open();
  const output = new Output(await recordings.create(terminalRow("a")));
  for (let n = 0; n < 10; n++) await output.write(`secret ${n} ${"x".repeat(30)}\r\n`);
  await output.write("needle\r\n");
  await recordings.whenIndexed();
  await recordings.applyRetention({ maxTerminalBytes: 60 });
  const { hits } = await recordings.search({ text: "needle", context: 5 });
  expect(hits[0]?.linesBefore).toEqual([`secret 9 ${"x".repeat(30)}`]);
});

test("waiting for the index ends although more is written all the time", async () => {
  await using recordings = await Recordings.open();
  const output = new Output(await recordings.create(terminalRow("a")));
  let isWaiting = true;
  const writing = (async () => {
    for (let n = 0; isWaiting; n++) await output.write(`line ${n}\r\n`);
  })();
  await recordings.whenIndexed();
  await recordings.whenIndexed();
  isWaiting = false;
  await writing;
  expect((await recordings.search({ text: "line 0" })).hits).toHaveLength(1);
});
