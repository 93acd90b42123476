import { readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { terminalRow } from "../testing/terminal-row.ts";
import { Recordings } from "./recordings.ts";
import type { ExportInput } from "./reader-tasks.ts";
import { A, bytes, kindsOf, Output, TestDirectory, verdictOf } from "./testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

const utf8 = new TextEncoder();
const owner = { entityName: "Test", entityId: "1" };
const HEADER = '{"version":3,"term":{"cols":90,"rows":30}}';

/** Pieces as they may come over a wire: cut anywhere. */
async function* cut(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const all = utf8.encode(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function exportOf(recordings: Recordings, how: Omit<ExportInput, "terminalId">) {
  const pieces: Uint8Array[] = [];
  for await (const piece of recordings.export({ terminalId: A, ...how })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.each(kindsOf(directory))("exports of recordings %s", (_name, options) => {
  /** Six entries: a size, output, another size, a marker of the shell inside output, input, output. */
  async function recorded(): Promise<Recordings> {
    const recordings = await Recordings.open(options());
    const recording = await recordings.create(terminalRow("a"));
    const output = new Output(recording);
    await recording.append({ type: "header", cols: 80, rows: 24 });
    await output.write("one\r\n");
    await recording.append({ type: "resize", cols: 100, rows: 40 });
    await output.write("\u001b]133;A\u0007two\r\n");
    await recording.append({ type: "input", data: bytes("typed") });
    await output.write("three\r\n");
    return recordings;
  }

  test("have a part of the entries, in the size that it had then", async () => {
    await using recordings = await recorded();
    const part = { fromSequence: 4, toSequence: 5 };
    expect(await exportOf(recordings, { format: "text", ...part })).toBe("two\n");
    const cast = await exportOf(recordings, { format: "asciicast3", input: true, ...part });
    const [header = "", ...events] = cast.trim().split("\n");
    expect(JSON.parse(header)).toMatchObject({ term: { cols: 100, rows: 40 } });
    expect(events.map((line) => (JSON.parse(line) as unknown[])[1])).toEqual(["o", "i"]);
    const lines = await exportOf(recordings, { format: "jsonLines", fromSequence: 6 });
    expect(lines.trim().split("\n")).toHaveLength(1);
    expect(await exportOf(recordings, { format: "raw", fromSequence: 7 })).toBe("");
  });

  test.each(["raw", "asciicast3", "jsonLines"] as const)(
    "as %s are without markers where they are asked to be",
    async (format) => {
      await using recordings = await recorded();
      expect(await exportOf(recordings, { format })).toContain("133;A");
      const stripped = await exportOf(recordings, { format, view: "stripped" });
      expect(stripped).not.toContain("133;A");
      expect(stripped).toContain("two");
    },
  );

  test.each(["asciicast2", "asciicast3"] as const)(
    "tell players of %s how long to wait at most",
    async (format) => {
      await using recordings = await recorded();
      const headerOf = async (idleTimeLimit?: number): Promise<unknown> => {
        const cast = await exportOf(recordings, { format, idleTimeLimit });
        return JSON.parse(cast.split("\n", 1)[0] ?? "");
      };
      expect(await headerOf(1.5)).toMatchObject({ idle_time_limit: 1.5 });
      expect(await headerOf()).not.toHaveProperty("idle_time_limit");
    },
  );
});

describe.each(kindsOf(directory))("imports into recordings %s", (_name, options) => {
  test("take bytes as they come", async () => {
    await using recordings = await Recordings.open(options());
    const pieces = cut(`${HEADER}\n[0.5,"o","hé\\r\\n"]\n[0.5,"x","3"]\n`);
    const imported = await recordings.import({ pieces, owner, workingDirectory: "/", whole: true });
    expect(imported).toMatchObject({ entries: 3, outcome: { complete: true } });
    expect(await verdictOf(recordings, imported.id)).toMatchObject({ ok: true, sealed: true });
  });

  test.each([
    ["a line that is none", `${HEADER}\n[0.5,"o","a"]\n[0.5,"o"]\n`, 3],
    ["an end within a line", `${HEADER}\n[0.5,"o","a"]\n[0.5,"o","b`, 3],
    ["no cast at all", "hello\n", 1],
    ["a header with a wrong size", '{"version":3,"term":{"cols":-1,"rows":3}}\n', 1],
    ["nothing", "", 1],
  ])("keep nothing of %s, and say where it is", async (_what, text, line) => {
    await using recordings = await Recordings.open(options());
    const input = { pieces: cut(text), owner, workingDirectory: "/", whole: true };
    const failure = await recordings.import(input).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_argument", details: { line } });
    expect(await recordings.listTerminals({ limit: 9 })).toEqual([]);
  });

  test("end with who sends", async () => {
    await using recordings = await Recordings.open(options());
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield utf8.encode(`${HEADER}\n`);
      throw new Error("the wire broke");
    }
    const input = { pieces: broken(), owner, workingDirectory: "/" };
    await expect(recordings.import(input)).rejects.toThrow("the wire broke");
    expect(await recordings.listTerminals({ limit: 9 })).toEqual([]);
  });
});

test("what is being imported has no name that a crash could leave behind", async () => {
  const place = directory.next();
  await using recordings = await Recordings.open({ directory: place });
  let seen: readonly string[] = ["not looked yet"];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield utf8.encode(`${HEADER}\n`);
    seen = readdirSync(place).filter((name) => !/^(?:recordings|search)\.db/.test(name));
  }
  await recordings.import({ pieces: pieces(), owner, workingDirectory: "/" });
  expect(seen).toEqual([]);
});
