import { DatabaseSync } from "node:sqlite";
import { AuditRecord, type Caller, RecordingVerdict, type TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentNamed, OPERATOR, present, READER, OperationsRig } from "./operations-rig.ts";

let rig: OperationsRig;
beforeAll(async () => {
  rig = await OperationsRig.open();
});
afterAll(() => rig[Symbol.asyncDispose]());

const ALICE = agentNamed("alice");
const MALLORY = agentNamed("mallory");
const contextOf = (caller: Caller) => ({ caller, via: "library" }) as const;

async function exported(input: object, caller: Caller = OPERATOR): Promise<string> {
  const { pieces } = await rig.host.operations.exportRecording(input, contextOf(caller));
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const CAST = '{"version":2,"width":80,"height":24,"title":"Demo"}\n[0.5,"o","hello\\r\\n"]\n';

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(Buffer.from(text));
}

const imported = (text: string, input: object = {}, caller: Caller = OPERATOR) =>
  rig.host.operations.importRecording(input, piecesOf(text), contextOf(caller));

test("a recording is not removed under a terminal that somebody else is closing", async () => {
  const { id } = await rig.create(
    "trap 'echo cleaned' HUP TERM; echo up; while :; do sleep 0.05; done",
  );
  await rig.ask("waitFor", { id, until: [{ kind: "text", text: "up" }], after: 0 });
  const first = rig.ask("disposeTerminal", { id });
  const second = rig.ask("deleteRecording", { id });
  let isClosed = false;
  void first.then(() => (isClosed = true));
  const { entries } = await second;
  expect(isClosed).toBe(true);
  // Header, claim, "up", "cleaned" and the exit: nothing was written behind the removal.
  expect(entries).toBeGreaterThanOrEqual(5);
});

describe("proof", () => {
  test("a recording is proven while it runs and when it has ended", async () => {
    const id = await rig.createEnded("echo proof");
    const verdict = await rig.ask("verifyRecording", { id }, READER);
    expect(verdict).toMatchObject({ id, ok: true, sealed: true, firstSequence: 1 });
    expect(verdict.lastSequence).toBe(verdict.entries);
    const { id: live } = await rig.create("cat");
    expect(await rig.ask("verifyRecording", { id: live })).toMatchObject({ sealed: false });
  });

  test("a recording that is not there is not found", async () => {
    const id = "terminal:nobody" as TerminalId;
    const missing = { code: "terminal_not_found" };
    await expect(rig.ask("verifyRecording", { id })).rejects.toMatchObject(missing);
    await expect(rig.ask("readTimeline", { id })).rejects.toMatchObject(missing);
    await expect(exported({ id })).rejects.toMatchObject(missing);
  });

  test("what was changed is named", async () => {
    const id = await rig.createEnded("echo before");
    {
      using database = new DatabaseSync(rig.storePath, { timeout: 10_000 });
      database
        .prepare(
          `UPDATE terminal_recording_entry SET data = CAST('after!' AS BLOB) WHERE type = 'output'
           AND terminal = (SELECT number FROM terminal WHERE id = ?)`,
        )
        .run(id);
    }
    const verdict = await rig.ask("verifyRecording", { id });
    expect(RecordingVerdict.parse(verdict)).toMatchObject({ ok: false, sealed: true });
    expect(verdict.entries).toBe(present(verdict.firstBadSequence) - 1);
    expect(verdict.reason).toContain("is not what was recorded");
  });
});

describe("moments", () => {
  test("a screen of the past is read by its time", async () => {
    const { id } = await rig.create("echo first; read go; sleep 0.05; echo second; cat");
    await rig.ask("waitFor", { id, until: [{ kind: "text", text: "first" }], after: 0 });
    // The program takes its time, so that both are not of one millisecond.
    await rig.ask("sendInput", { id, data: "\r" });
    await rig.ask("waitFor", { id, until: [{ kind: "text", text: "second" }], after: 0 });
    const { entries } = await rig.ask("findRecordingEntries", { terminalId: id });
    const first = entries.find((entry) => entry.type === "output");
    const durationMs = present(first).elapsedMs;
    const past = await rig.ask("readScreen", { id, atElapsedMs: durationMs });
    expect(past.text).toContain("first");
    expect(past.text).not.toContain("second");
    const now = await rig.ask("readScreen", { id, atElapsedMs: durationMs + 1e6 });
    expect(now.text).toContain("second");
    expect(now.sequence).toBeGreaterThan(past.sequence);
    await expect(rig.ask("readScreen", { id, at: 1, atElapsedMs: 1 })).rejects.toMatchObject({
      code: "invalid_argument",
      field: "atElapsedMs",
    });
  });

  test("recordings are listed newest first, page by page", async () => {
    const mine = agentNamed("lister");
    const ids: TerminalId[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await rig.create("cat", mine)).id);
    const first = await rig.ask("listRecordings", { newestFirst: true, limit: 2 }, mine);
    expect(first.recordings.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const after = first.nextAfter;
    const rest = await rig.ask("listRecordings", { newestFirst: true, after }, mine);
    expect(rest.recordings.map(({ id }) => id)).toEqual([ids[0]]);
  });
});

describe("exports", () => {
  test("are for whom the recording is, and raw output is for operators", async () => {
    const id = await rig.createEnded("echo for alice", ALICE);
    expect(await exported({ id, format: "text" }, ALICE)).toBe("for alice\n");
    expect(await exported({ id, format: "raw" }, READER)).toBe("for alice\r\n");
    await expect(exported({ id }, MALLORY)).rejects.toMatchObject({ code: "terminal_not_found" });
    await expect(exported({ id, view: "raw" }, ALICE)).rejects.toMatchObject({
      code: "forbidden",
      field: "view",
    });
    expect(await exported({ id, format: "raw", view: "raw" })).toBe("for alice\r\n");
    await expect(exported({ id, fromSequence: 3, toSequence: 2 })).rejects.toMatchObject({
      code: "invalid_argument",
      field: "toSequence",
    });
    const refusals = (await rig.audit()).filter(({ action }) => action === "exportRecording");
    expect(refusals.map(({ caller, outcome }) => [caller, outcome])).toEqual([
      ["mallory", "terminal_not_found"],
      ["alice", "forbidden"],
    ]);
  });

  test("of a shell are without its markers", async () => {
    const { id } = await rig.createShell();
    await rig.ask("runCommand", { id, commandLine: "echo one" });
    for (const format of ["raw", "asciicast3", "jsonLines"]) {
      expect(await exported({ id, format })).not.toMatch(/\]133;|\]633;/);
    }
  });

  test("go back in as they came out", async () => {
    const id = await rig.createEnded("echo there and back");
    const again = await imported(await exported({ id }));
    expect(await exported({ id: again.id, format: "text" })).toBe("there and back\n");
    const { lastSequence } = await rig.ask("verifyRecording", { id: again.id });
    expect(lastSequence).toBe(again.entries);
  });
});

describe("imports", () => {
  test("belong to who imports, and are found, read and searched as others are", async () => {
    const { id } = await imported(CAST, {}, ALICE);
    const terminal = await rig.ask("readTerminal", { id }, ALICE);
    expect(terminal).toMatchObject({ owner: ALICE.owner, name: "Demo", state: "lost" });
    const screen = await rig.ask("readScreen", { id }, ALICE);
    expect(screen.text.trim()).toBe("hello");
    const missing = { code: "terminal_not_found" };
    await expect(rig.ask("readTerminal", { id }, MALLORY)).rejects.toMatchObject(missing);
    const owner = { entityName: "Task", entityId: "7" };
    const other = await imported(CAST, { owner, workingDirectory: "/tmp" });
    expect(await rig.ask("readTerminal", { id: other.id })).toMatchObject({
      owner,
      workingDirectory: "/tmp",
    });
  });

  test("are refused to readers, and to agents for others", async () => {
    const before = await rig.ask("listRecordings", { limit: 1000 });
    const forbidden = { code: "forbidden" };
    await expect(imported(CAST, {}, READER)).rejects.toMatchObject(forbidden);
    const owner = { entityName: "Agent", entityId: "alice" };
    await expect(imported(CAST, { owner }, MALLORY)).rejects.toMatchObject(forbidden);
    await expect(imported(`${CAST}[`)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("line 3") as string,
      details: { line: 3 },
    });
    expect(await rig.ask("listRecordings", { limit: 1000 })).toEqual(before);
  });

  test("are written down with their size, also when they fail", async () => {
    const after = (await rig.audit()).at(-1)?.sequence ?? 0;
    const { id, entries } = await imported(CAST);
    await expect(imported("{")).rejects.toMatchObject({ code: "invalid_argument" });
    const records = (await rig.audit(after)).map((record) => AuditRecord.parse(record));
    expect(records).toMatchObject([
      { action: "importRecording", terminalId: id, facts: { bytes: CAST.length, entries } },
      { action: "importRecording", outcome: "invalid_argument", facts: { bytes: 1 } },
    ]);
  });

  test("that are large are two at once, and the next may come when one is done", async () => {
    const gate = Promise.withResolvers<void>();
    const large = `${CAST}${" ".repeat(1024 * 1024)}\n`;
    const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow(handleTurn: () => void): AsyncGenerator<Uint8Array> {
      yield* piecesOf(large);
      // Whoever asks for more of a large one has its turn.
      handleTurn();
      await gate.promise;
    }
    const context = contextOf(OPERATOR);
    const open = turns.map(({ resolve }) =>
      rig.host.operations.importRecording({}, slow(resolve), context),
    );
    await Promise.all(turns.map(({ promise }) => promise));
    // A small one needs none.
    await expect(imported(`${large}{`)).rejects.toMatchObject({ code: "limit_reached" });
    expect((await imported(CAST)).entries).toBe(2);
    gate.resolve();
    await Promise.all(open);
    expect((await imported(large)).entries).toBe(2);
  });
});

describe("pruning", () => {
  test("says what would go, then removes it, also from the list of terminals", async () => {
    await using own = await OperationsRig.open();
    const kept = await own.create("cat");
    const { id } = await own.create("echo gone");
    await own.ask("waitFor", { id, until: [{ kind: "exit" }], after: 0 });
    // An ended terminal counts as such once its recording is closed.
    await expect.poll(() => own.ask("readTimeline", { id })).toMatchObject({ sealed: true });
    const would = await own.ask("pruneRecordings", { keepLast: 0, dryRun: true });
    expect(would).toMatchObject({ dryRun: true, recordings: 1, removed: [{ id, whole: true }] });
    expect(would.bytes).toBeGreaterThan(0);
    expect((await own.ask("readTerminal", { id })).id).toBe(id);
    const done = await own.ask("pruneRecordings", { keepLast: 0 });
    expect(done).toEqual({ ...would, dryRun: false });
    await expect(own.ask("readTerminal", { id })).rejects.toMatchObject({
      code: "terminal_not_found",
    });
    const { terminals } = await own.ask("listTerminals", {});
    expect(terminals.map((terminal) => terminal.id)).toEqual([kept.id]);
    const records = (await own.audit()).filter(({ action }) => action === "pruneRecordings");
    expect(records.map(({ facts }) => facts)).toEqual([
      { dryRun: true, keepLast: 0 },
      { dryRun: false, keepLast: 0 },
    ]);
  });

  test("is for operators, and needs a limit", async () => {
    for (const caller of [ALICE, READER]) {
      await expect(rig.ask("pruneRecordings", { keepLast: 0 }, caller)).rejects.toMatchObject({
        code: "forbidden",
      });
    }
    await expect(rig.ask("pruneRecordings", { dryRun: true })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });
});
