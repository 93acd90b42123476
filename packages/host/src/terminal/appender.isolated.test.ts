import { NacreError } from "@nacre/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import { Recordings } from "../recording/recordings.ts";
import { openFaultyRecording } from "../recording/testing/faulty-recording.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { Appender, Backlog, type EntryWithViews } from "./appender.ts";

let recordings: Recordings;
let count = 0;
let told: EntryWithViews[] = [];
let appender: Appender;
let recording: Recording;
let row = terminalRow("a");

beforeAll(async () => {
  recordings = await Recordings.open();
});
afterAll(() => recordings[Symbol.asyncDispose]());
beforeEach(async () => {
  row = terminalRow(`a${++count}`);
  told = [];
  recording = await recordings.create(row);
  appender = appenderOf(recording);
});

/** An appender that tells the test. */
const appenderOf = (one: Recording): Appender =>
  new Appender({
    recording: one,
    backlog: new Backlog(),
    handleRecorded: (recorded) => void told.push(recorded),
  });

const HEADER = { type: "header", cols: 80, rows: 24 } as const;

const output = (text: string) => {
  const data = new Uint8Array(Buffer.from(text));
  return { type: "output", offset: 0, data } as const;
};

const sequencesTold = (): number[] => told.map(({ entry }) => entry.sequence);

/** An entry that somebody else appended. */
const gap = (sequence: number): RecordedEntry => ({
  id: `terminal_recording_entry:a-${sequence}` as RecordedEntry["id"],
  terminalId: row.id,
  sequence,
  occurredAt: "2026-01-31T09:30:00.000Z",
  elapsedMs: 0,
  type: "gap",
  lostBytes: 1,
  reason: "overflow",
});

test("an entry is told of before its append resolves, with the view of its output", async () => {
  const entry = await appender.append({ fact: output("shown") });
  const data = entry.type === "output" ? entry.data : undefined;
  expect(told).toEqual([{ entry, view: data, drawn: data }]);
  expect(appender.lastSequence).toBe(1);
});

test("the view is told instead of the bytes where it differs", async () => {
  const view = new Uint8Array(Buffer.from("b"));
  const entry = await appender.append({ fact: output("a\u001b]633;A\u0007b"), view, drawn: view });
  expect(told).toEqual([{ entry, view, drawn: view }]);
});

test("entries are told of in order of sequence, in whatever order they become known", () => {
  for (const sequence of [3, 1, 5, 2]) appender.insert({ entry: gap(sequence) });
  expect(sequencesTold()).toEqual([1, 2, 3]);
  appender.insert({ entry: gap(4) });
  expect(sequencesTold()).toEqual([1, 2, 3, 4, 5]);
});

test("many appends at once are told of in the order in which they were made", async () => {
  const facts = Array.from({ length: 100 }, (_, index) => output(String(index)));
  await Promise.all(facts.map((fact) => appender.append({ fact })));
  const texts = told.map(({ view }) => Buffer.from(view ?? []).toString());
  expect(texts).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
});

test("nothing follows the last fact, whoever appends it", async () => {
  await appender.append({ fact: HEADER });
  const last = appender.finish({ type: "exit", exitCode: 0 });
  const typed = { data: new Uint8Array(1), isSecret: false };
  await expect(appender.append({ fact: output("late") })).rejects.toMatchObject({
    code: "terminal_exited",
  });
  await expect(appender.appendInput(typed)).rejects.toMatchObject({ code: "terminal_exited" });
  expect(await last).toMatchObject({ sequence: 2, type: "exit" });
  expect(sequencesTold()).toEqual([1, 2]);
});

test("what is typed is told of like everything else, and a secret without its bytes", async () => {
  const data = () => new Uint8Array(Buffer.from("key\n"));
  await appender.appendInput({ data: data(), isSecret: false });
  await appender.appendInput({ data: data(), isSecret: true });
  expect(told).toMatchObject([
    { entry: { type: "input", data: data() } },
    { entry: { type: "input", redacted: true } },
  ]);
});

test("an append resolves only after the entries before it were told of, too", async () => {
  const typed = appender.appendInput({ data: new Uint8Array(1), isSecret: false });
  await appender.append({ fact: output("answer") });
  expect(sequencesTold()).toEqual([1, 2]);
  await typed;
});

describe("an entry that was committed without anybody being told", () => {
  test("is read and told of before the next one", async () => {
    await appender.append({ fact: HEADER });
    const stranger = await recordings.resume(row.id);
    await stranger.append(output("\u001b]133;A\u0007unheard of"));
    await appender.append({ fact: output("next") });
    expect(sequencesTold()).toEqual([1, 2, 3]);
    expect(told.map(({ view }) => view && Buffer.from(view).toString())).toEqual([
      undefined,
      "unheard of",
      "next",
    ]);
  });

  test("is told of before its append fails, where nothing follows", async () => {
    const append = recording.append.bind(recording);
    vi.spyOn(recording, "append").mockImplementationOnce(async (fact) => {
      await append(fact);
      throw new NacreError("unavailable", "the recorder ended");
    });
    await expect(appender.finish({ type: "exit", exitCode: 0 })).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(told).toMatchObject([{ entry: { type: "exit", sequence: 1 } }]);
  });

  test("is told of where its sender was told before that it is lost", async () => {
    await using faulty = await openFaultyRecording();
    appender = appenderOf(faulty.recording);
    Object.assign(faulty.faults, { afterCommit: true, open: true });
    const lost = appender.append({ fact: output("found") });
    const fact = appender.append({ fact: { type: "clear" } });
    await expect(lost).rejects.toMatchObject({ code: "recording_blocked" });
    Object.assign(faulty.faults, { afterCommit: false, open: false });
    await fact;
    expect(told).toMatchObject([
      { entry: { sequence: 1, type: "output" }, view: new Uint8Array(Buffer.from("found")) },
      { entry: { sequence: 2, type: "clear" } },
    ]);
  });

  test("is told of once the disk is well again, though nothing follows", async () => {
    await using faulty = await openFaultyRecording();
    appender = appenderOf(faulty.recording);
    Object.assign(faulty.faults, { afterCommit: true, open: true });
    const lost = appender.append({ fact: output("found") });
    await expect(lost).rejects.toMatchObject({ code: "recording_blocked" });
    expect(told).toEqual([]);
    Object.assign(faulty.faults, { afterCommit: false, open: false });
    await expect.poll(() => told).toMatchObject([{ entry: { sequence: 1, type: "output" } }]);
  });

  test("holds nobody up where it was removed since", async () => {
    await appender.append({ fact: HEADER });
    const stranger = await recordings.resume(row.id);
    for (let n = 0; n < 2; n++) await stranger.append({ type: "clear" });
    await recordings.applyRetention({ maxAgeMs: 0 }, Date.now() + 1000);
    await appender.append({ fact: output("next") });
    expect(sequencesTold()).toEqual([1, 3, 4]);
  });
});

test("what was typed and not ended is told of before the end, and nothing after it", async () => {
  await appender.appendInput({ data: new Uint8Array(3), isSecret: true });
  expect(told).toEqual([]);
  await appender.finish({ type: "exit", exitCode: 0 });
  await appender.seal();
  expect(told).toMatchObject([
    { entry: { sequence: 1, type: "input", redacted: true } },
    { entry: { sequence: 2, type: "exit" } },
  ]);
  expect(await recordings.readExtent(row.id)).toMatchObject({ lastSequence: 2 });
});

test("what waits to be told of keeps its room", async () => {
  const stranger = await recordings.resume(row.id);
  await stranger.append({ type: "clear" });
  const { promise: reading, resolve } = Promise.withResolvers<void>();
  const readAfter = recording.readAfter.bind(recording);
  const spied = vi.spyOn(recording, "readAfter").mockImplementation(async (sequence) => {
    await reading;
    return await readAfter(sequence);
  });
  const appended = appender.append({ fact: output("x".repeat(512 * 1024)) });
  await expect.poll(() => spied).toHaveBeenCalled();
  let hasRoom = false;
  const room = appender.room().then(() => (hasRoom = true));
  await recordings.readExtent(row.id);
  expect(hasRoom).toBe(false);
  resolve();
  await Promise.all([appended, room]);
  expect(sequencesTold()).toEqual([1, 2]);
});
