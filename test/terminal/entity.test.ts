import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { TerminalId, type TerminalRecordingEntry, TerminalSchema } from "@nacre/contracts";
import { createHost, LOCAL_CALLER, type Recordings } from "@nacre/host";
import { person } from "../support/callers.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { OWNER, shellNamed, shLine } from "../support/terminal-input.ts";
import { type, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const placesOf = (entries: readonly TerminalRecordingEntry[]): number[] =>
  entries.map(({ sequence }) => sequence);

test("reading a terminal changes nothing, and gives the same twice", async () => {
  const { id } = await host.Terminal.create(shLine("echo here; cat"));
  await untilText(host.registry.get(id), "here\n");
  // A moment later it is seen that the program waits for input.
  await expect.poll(async () => (await host.Terminal.read({ id })).inputNeeded).toBeDefined();
  const before = await entriesOf(host, id);
  const [first, second] = [await host.Terminal.read({ id }), await host.Terminal.read({ id })];
  expect(second).toEqual(first);
  expect(TerminalSchema.parse(first)).toEqual(first);
  expect(placesOf(first.recordingEntries)).toEqual(before.map(({ sequence }) => sequence));
  expect(await entriesOf(host, id)).toEqual(before);
});

test("a live terminal says everything about its present, and an ended one how it ended", async () => {
  const { id } = await host.Terminal.create(shLine("echo here; read line; exit 2"));
  const terminal = host.registry.get(id);
  await untilText(terminal, "here\n");
  using _ = terminal.subscribe();
  expect(await host.Terminal.read({ id })).toMatchObject({
    terminalPaneId: "pty",
    state: "active",
    connected: true,
    dead: false,
    exitCode: null,
    cols: 80,
    rows: 24,
    screen: expect.stringContaining("here") as string,
    chunk: "here\r\n",
    truncated: false,
    viewers: 1,
    commandDetection: "none",
    inputPolicy: "open",
    recording: { firstSequence: 1, lastSequence: 3, total: 3, state: "ok" },
  });
  await type(terminal, "\n");
  await terminal.ended;
  expect(await host.Terminal.read({ id })).toMatchObject({
    terminalPaneId: "pty",
    state: "exited",
    connected: false,
    dead: true,
    exitCode: 2,
  });
});

test("a terminal that never was is another error than one that ended", async () => {
  const { id } = await host.Terminal.create(shLine("exit 0"));
  await host.registry.get(id).ended;
  await expect(host.Terminal.read({ id })).resolves.toMatchObject({ state: "exited" });
  const nowhere = TerminalId.parse("terminal:zzz");
  await expect(host.Terminal.read({ id: nowhere })).rejects.toMatchObject({
    code: "terminal_not_found",
    field: "id",
  });
});

test("300 kB: a reading leaves out what is older and says so, and its screen is the real one", async () => {
  const { id } = await host.Terminal.create(shLine("stty -echo; seq 1 60000; cat"));
  const terminal = host.registry.get(id);
  await untilText(terminal, "60000\n");
  // Many small entries, so that not all of them fit.
  for (let count = 0; count < 210; count++) await type(terminal, `typed ${count}\n`);
  await untilText(terminal, "typed 208\ntyped 209\n");
  const read = await host.Terminal.read({ id });
  expect(read.truncated).toBe(true);
  expect(read.recordingEntries.length).toBeLessThanOrEqual(200);
  const places = placesOf(read.recordingEntries);
  expect(places.at(-1)).toBe(read.recording.lastSequence);
  expect(places).toEqual(
    Array.from({ length: places.length }, (_, index) => (places[0] ?? 0) + index),
  );
  expect(read.recording).toMatchObject({ firstSequence: 1, total: read.recording.lastSequence });
  const drawn = await draw(read.screen);
  expect(drawn).toEqual((await terminal.reader.readScreen("cells")).content);
});

/** What a fresh terminal of the usual size shows when this is written to it. */
async function draw(text: string): Promise<string | undefined> {
  const bytes = new Uint8Array(Buffer.from(text));
  const changes = (async function* () {
    yield await Promise.resolve({ kind: "output", sequence: 1, bytes } as const);
  })();
  const size = { cols: 80, rows: 24 };
  const picture = await host.screens.draw({
    recording: "r",
    start: undefined,
    size,
    changes,
    format: "cells",
  });
  return picture.content;
}

test("input and a new size come in one message: first the keys, then the size", async () => {
  const { id } = await host.Terminal.create(
    shLine(
      "read line; stty size; trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done",
    ),
  );
  const sent = await host.Terminal.sendInput({ id, data: "go\n", cols: 100, rows: 30 });
  expect(sent).toMatchObject({ id, cols: 100, rows: 30 });
  const types = (await entriesOf(host, id)).map((entry) => entry.type);
  expect(types.indexOf("input")).toBeLessThan(types.indexOf("resize"));
  expect(types.indexOf("resize")).toBeGreaterThan(0);
});

test.each([
  ["nothing to do", {}, "data"],
  ["one side of a size", { cols: 80 }, "rows"],
  ["the other side", { rows: 24 }, "cols"],
  ["a size that is none", { cols: 0, rows: 24 }, "cols"],
  ["keys and text", { data: "x", keys: ["Enter"] }, "keys"],
  ["a field that is not known", { data: "x", foo: 1 }, "foo"],
])("input with %s is refused by its field", async (_, more, field) => {
  const { id } = await host.Terminal.create(shLine("cat"));
  const before = await entriesOf(host, id);
  await expect(host.Terminal.sendInput({ id, ...more })).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining(field) as string,
  });
  expect(await entriesOf(host, id)).toEqual(before);
});

test("no text at all is accepted and types nothing", async () => {
  const { id } = await host.Terminal.create(shLine("cat"));
  const before = await entriesOf(host, id);
  await expect(host.Terminal.sendInput({ id, data: "" })).resolves.toMatchObject({ id });
  expect(await entriesOf(host, id)).toEqual(before);
});

test("the row of a terminal stays narrow, whatever it writes", async () => {
  const { id } = await host.Terminal.create({ ...shLine("seq 1 100000; exit 0"), name: "flood" });
  await host.registry.get(id).ended;
  const row = await host.recordings.readTerminal(id);
  expect(Object.keys(row ?? {}).toSorted((one, other) => one.localeCompare(other))).toEqual([
    "args",
    "command",
    "createdAt",
    "id",
    "name",
    "owner",
    "workingDirectory",
  ]);
});

test("a list has a line for each terminal, in the order of their creation", async () => {
  const first = await host.Terminal.create({ ...shLine("exit 4"), name: "first" });
  await host.registry.get(first.id).ended;
  const second = await host.Terminal.create({ ...shLine("cat"), name: "second" });
  expect(host.registry.summaries().slice(-2)).toMatchObject([
    { id: first.id, title: "first", state: "exited", exitCode: 4, claim: first.claim },
    { id: second.id, title: "second", state: "active", exitCode: null, claim: second.claim },
  ]);
});

test("what its contract offers is all there is to call", () => {
  expect(Object.keys(host.Terminal.contract.methods)).toEqual(["create", "read", "sendInput"]);
});

/** Sets a title for each line that is typed. */
const TITLES =
  'stty -echo; echo ready; while read line; do printf \'\\033]2;%s\\007set %s\\n\' "$line" "$line"; done';

test("a program gives its terminal a title", async () => {
  const terminal = await host.createTerminal(shLine("printf '\\033]2;mine\\007'; echo up; cat"));
  await untilText(terminal, "up");
  expect(terminal.summary.title).toBe("mine");
  expect((await terminal.reader.read()).title).toBe("mine");
  expect((await terminal.reader.readScreen("text")).title).toBe("mine");
  const titles = (await entriesOf(host, terminal.id)).filter((entry) => entry.type === "title");
  expect(titles).toMatchObject([{ title: "mine" }]);
});

test("a name that somebody gave stays, whatever the program says, until it is taken away", async () => {
  const terminal = await host.createTerminal(shLine(TITLES));
  await untilText(terminal, "ready");
  await type(terminal, "one\n");
  await untilText(terminal, "set one");
  await terminal.rename("chosen", person("ada"));
  await type(terminal, "two\n");
  await untilText(terminal, "set two");
  expect(terminal.summary.title).toBe("chosen");
  await terminal.rename("", person("ada"));
  expect(terminal.summary.title).toBe("two");
  const titles = (await entriesOf(host, terminal.id)).filter((entry) => entry.type === "title");
  expect(titles).toMatchObject([
    { title: "one" },
    { title: "chosen", by: "ada" },
    { title: "two", by: "ada" },
  ]);
});

test("without a title a terminal is called by its name, and without that by its command", async () => {
  const named = await host.createTerminal({ ...shLine("cat"), name: "build" });
  const unnamed = await host.createTerminal(shLine("cat"));
  expect([named.summary.title, unnamed.summary.title]).toEqual(["build", "/bin/sh"]);
  expect(await named.reader.read()).not.toHaveProperty("title");
});

test("where a shell is can be followed", async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "nacre cwd ä-")));
  const terminal = await host.createTerminal(shellNamed("bash"));
  await type(terminal, `cd '${directory}'\r`);
  await expect.poll(() => terminal.status.cwd).toBe(directory);
  expect(await terminal.reader.read()).toMatchObject({ cwd: directory, workingDirectory: "/tmp" });
  const entries = await entriesOf(host, terminal.id);
  expect(entries.filter((entry) => entry.type === "cwd").at(-1)).toMatchObject({ cwd: directory });
  await rm(directory, { recursive: true });
});

test("a point of the recording can be given a name", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  await terminal.mark("here it broke", LOCAL_CALLER);
  expect((await entriesOf(host, terminal.id)).at(-1)).toMatchObject({
    type: "marker",
    label: "here it broke",
    by: "local",
  });
  expect((await terminal.reader.readContent()).parts).toEqual([]);
});

/** A terminal that was running when its host died: a header and some output, and nothing after it. */
async function leaveUnfinished(recordings: Recordings): Promise<TerminalId> {
  const id = TerminalId.parse("terminal:unfinished");
  const createdAt = "2026-01-31T09:30:00.000Z";
  const recording = await recordings.create({
    id,
    owner: OWNER,
    workingDirectory: "/tmp",
    createdAt,
  });
  await recording.append({ type: "header", cols: 100, rows: 30 });
  const data = new Uint8Array(Buffer.from("interrupted\r\n"));
  await recording.append({ type: "output", offset: 0, data });
  return id;
}

test("after a restart a terminal is what its recording says, with the exit code where one was seen", async () => {
  using directory = ownDirectory();
  const asked = { ...shLine("echo here; exit 3"), name: "build" };
  const { row, lost } = await (async () => {
    await using before = await createHost({ directory: directory.path });
    const terminal = await before.createTerminal(asked);
    await terminal.resize({ cols: 90, rows: 20 }, LOCAL_CALLER).catch(() => undefined);
    await terminal.ended;
    return { row: terminal.row, lost: await leaveUnfinished(before.recordings) };
  })();
  await using after = await createHost({ directory: directory.path });
  const ended = await after.Terminal.read({ id: row.id });
  expect(TerminalSchema.parse(ended)).toEqual(ended);
  expect(ended).toMatchObject({ ...asked, ...row });
  expect(ended).toMatchObject({ state: "exited", connected: false, dead: true, exitCode: 3 });
  expect(ended.screen).toContain("here");
  expect(ended.recordingEntries.at(-1)).toMatchObject({ type: "exit", exitCode: 3 });
  const unfinished = await after.Terminal.read({ id: lost });
  expect(TerminalSchema.parse(unfinished)).toEqual(unfinished);
  expect(unfinished).toMatchObject({
    state: "lost",
    connected: false,
    dead: true,
    exitCode: null,
    cols: 100,
    rows: 30,
  });
  expect(unfinished.screen).toContain("interrupted");
  await expect(after.Terminal.sendInput({ id: lost, data: "x" })).rejects.toMatchObject({
    code: "terminal_exited",
  });
});
