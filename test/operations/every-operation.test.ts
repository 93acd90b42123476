import { type Caller, type OperationName, OPERATIONS, SearchResult } from "@nacre/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { agentNamed, OPERATOR, present, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const asked = new Set<OperationName>();
const ask: OperationsRig["ask"] = (name, ...rest) => {
  asked.add(name);
  return rig.ask(name, ...rest);
};

describe("a terminal", () => {
  test("is created, listed, read and renamed", async () => {
    const created = await ask("createTerminal", { workingDirectory: "/tmp", command: "/bin/cat" });
    expect(created).toMatchObject({
      owner: { entityName: "System", entityId: OPERATOR.id },
      state: "active",
      workingDirectory: "/tmp",
    });
    const { id } = created;
    expect(await ask("renameTerminal", { id, title: "notes" })).toMatchObject({ title: "notes" });
    const owner = { entityName: "System" };
    const list = await ask("listTerminals", { owner, state: "active" });
    expect(list.terminals).toContainEqual(expect.objectContaining({ id, title: "notes" }));
    expect(await ask("readTerminal", { id })).toMatchObject({ id, title: "notes" });
    expect(await ask("disposeTerminal", { id })).toEqual({ id });
    expect((await ask("listTerminals", {})).terminals.map((line) => line.id)).not.toContain(id);
  });

  test("S-L7: is ended with its owner, but not what is to be kept, is somebody else's, or is held by a person", async () => {
    const alice = agentNamed("alice");
    const launch = { workingDirectory: "/tmp", command: "/bin/cat" };
    const create = async (more: object, by: Caller) =>
      (await ask("createTerminal", { ...launch, ...more }, by)).id;
    const own = await create({}, alice);
    const kept = await create({ whenOwnerEnds: "keep" }, alice);
    const held = await create({}, alice);
    const others = await create({}, agentNamed("bob"));
    await ask("moveClaim", { id: held }, OPERATOR);
    const owner = present(alice.owner);
    await expect(
      ask("disposeTerminals", { owner: present(agentNamed("bob").owner) }, alice),
    ).rejects.toMatchObject({ code: "forbidden", field: "owner" });
    expect(await ask("disposeTerminals", { owner }, alice)).toEqual({
      disposed: [own],
      kept: [kept, held],
    });
    expect(await ask("disposeTerminals", { owner, force: true }, OPERATOR)).toEqual({
      disposed: [held],
      kept: [kept],
    });
    const listed = (await ask("listTerminals", {})).terminals.map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([kept, others]));
    await expect(ask("disposeTerminals", {})).rejects.toMatchObject({ code: "invalid_argument" });
    for (const id of [kept, others]) await ask("disposeTerminal", { id });
  });

  test("S-L7: is ended with the agent's session that still drives it, for an agent only where it is its own", async () => {
    const claim = { kind: "session", session: "s-7" } as const;
    const create = async (by: Caller) =>
      (await ask("createTerminal", { workingDirectory: "/tmp", command: "/bin/cat", claim }, by))
        .id;
    const alice = agentNamed("alice", { session: "s-7" });
    const own = await create(alice);
    const others = await create(agentNamed("bob"));
    const asked = { session: "s-7" };
    const first = await ask("disposeTerminals", asked, alice);
    expect(first).toEqual({ disposed: [own], kept: [] });
    expect(await ask("disposeTerminals", asked)).toEqual({ disposed: [others], kept: [] });
  });

  test("is typed into, pasted into, resized, cleared and marked", async () => {
    const { id } = await rig.create("stty -echo; echo ready; cat");
    const shown = (text: string) =>
      ask("waitFor", { id, until: [{ kind: "text", text }], after: 0 });
    expect(await shown("ready\n")).toMatchObject({ outcome: "text" });
    await ask("sendInput", { id, data: "typed\n" });
    await ask("pasteText", { id, text: "pasted\n" });
    expect(await shown("pasted\n")).toMatchObject({ outcome: "text" });
    expect(await ask("resizeTerminal", { id, cols: 100, rows: 30 })).toEqual({
      cols: 100,
      rows: 30,
    });
    expect((await ask("readScreen", { id })).text).toContain("typed");
    await ask("clearTerminal", { id });
    expect((await ask("readScreen", { id })).text).not.toContain("typed");
    const { sequence } = await ask("markRecording", { id, label: "half way" });
    const marks = { terminalId: id, types: ["marker" as const] };
    expect((await ask("findRecordingEntries", marks)).entries).toContainEqual(
      expect.objectContaining({ sequence, label: "half way" }),
    );
  });

  test("is signalled and killed", async () => {
    const { id } = await rig.create(
      "trap 'echo caught' USR1; echo ready; while :; do sleep 0.05; done",
    );
    const wait = (text: string) =>
      ask("waitFor", { id, until: [{ kind: "text", text }], after: 0 });
    expect(await wait("ready")).toMatchObject({ outcome: "text" });
    await ask("signalTerminal", { id, signal: "SIGUSR1", target: "leader" });
    expect(await wait("caught")).toMatchObject({ outcome: "text" });
    const report = await ask("killTerminal", { id, graceMs: 0 });
    expect(report).toMatchObject({ forced: true, survivors: [] });
    await expect(ask("killTerminal", { id })).rejects.toMatchObject({ code: "terminal_exited" });
  });

  test("refuses a signal that this system does not have", async () => {
    const { id } = await rig.create("cat");
    await expect(ask("signalTerminal", { id, signal: "SIGNOPE" })).rejects.toMatchObject({
      code: "invalid_argument",
      field: "signal",
    });
  });
});

describe("commands", () => {
  test("are run, listed page by page and read with what they wrote", async () => {
    const { id } = await rig.createShell();
    const first = await ask("runCommand", { id, commandLine: "printf 'one\\n'" });
    await ask("runCommand", { id, commandLine: "printf 'two\\n'" });
    expect(first).toMatchObject({ outcome: "ended", command: { exitCode: 0 } });
    const page = await ask("listCommands", { id, limit: 1 });
    expect(page).toMatchObject({ truncated: true, commands: [{ commandLine: "printf 'one\\n'" }] });
    const rest = await ask("listCommands", { id, after: page.nextAfter ?? 0 });
    expect(rest).toMatchObject({
      truncated: false,
      commands: [{ commandLine: "printf 'two\\n'" }],
    });
    const { commandId } = present(rest.commands[0]);
    const { output } = await ask("readCommand", { id, commandId });
    expect(output.text).toContain("two");
    expect(output.text).not.toContain("one");
    const unknown = { id, commandId: "nobody" as typeof commandId };
    await expect(ask("readCommand", unknown)).rejects.toMatchObject({
      code: "recording_not_found",
      field: "commandId",
    });
  });

  test("run by themselves, from the first byte to the end", async () => {
    const result = await ask("execCommand", { commandLine: "echo out", workingDirectory: "/tmp" });
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    const { terminalId: id } = result;
    expect(await ask("readOutput", { id })).toMatchObject({ data: "out\r\n", ended: true });
  });
});

test("recordings are listed, searched and removed", async () => {
  const id = await rig.createEnded("echo needle-4711");
  const rows = await ask("listRecordings", { limit: 1000 });
  expect(rows.recordings.map((row) => row.id)).toContain(id);
  await rig.host.recordings.whenIndexed();
  const found = await ask("searchRecordings", { text: "needle-4711", types: ["output"] });
  expect(SearchResult.parse(found).hits.map(({ terminalId }) => terminalId)).toEqual([id]);
  expect(await ask("verifyRecording", { id })).toMatchObject({ ok: true });
  expect(await ask("readTimeline", { id })).toMatchObject({ sealed: true });
  expect(await ask("pruneRecordings", { keepLast: 1000 })).toMatchObject({ recordings: 0 });
  expect((await ask("deleteRecording", { id })).entries).toBeGreaterThan(0);
  await expect(ask("deleteRecording", { id })).rejects.toMatchObject({
    code: "terminal_not_found",
  });
  expect(await ask("deleteRecording", { id, purge: true })).toEqual({ id, entries: 0 });
  await expect(rig.ask("readTerminal", { id })).rejects.toMatchObject({
    code: "terminal_not_found",
  });
});

test("lists go on where the page before ended, also when that line is gone", async () => {
  const mine = agentNamed("pager");
  const ids = [];
  for (let count = 0; count < 3; count += 1) ids.push((await rig.create("cat", mine)).id);
  const first = await ask("listTerminals", { limit: 1 }, mine);
  expect(first).toMatchObject({ truncated: true, nextAfter: ids[0] });
  await ask("disposeTerminal", { id: present(ids[0]) }, mine);
  const rest = await ask("listTerminals", { after: first.nextAfter }, mine);
  expect(rest.terminals.map(({ id }) => id)).toEqual(ids.slice(1));
  const rows = await ask("listRecordings", { limit: 2 }, mine);
  expect(rows).toMatchObject({ truncated: true, nextAfter: ids[1] });
  const last = await ask("listRecordings", { after: rows.nextAfter }, mine);
  expect(last.recordings.map(({ id }) => id)).toEqual(ids.slice(2));
});

test("the claim moves, is asked for and is handed back", async () => {
  const mine = agentNamed("holder");
  const { id } = await rig.create("cat", mine);
  const taken = await ask("moveClaim", { id, note: "let me" });
  expect(await ask("readClaim", { id })).toMatchObject({
    ...taken,
    holder: "you",
    reason: "takeover",
    note: "let me",
  });
  expect(taken).toMatchObject({ claim: { clientId: OPERATOR.id }, epoch: 2 });
  await expect(ask("moveClaim", { id, epoch: 1 })).rejects.toMatchObject({ code: "conflict" });
  const { request, outcome } = await ask("requestControl", { id, note: "please" }, mine);
  expect(outcome).toBe("pending");
  const { requestId } = request;
  expect(await ask("answerControl", { id, requestId, grant: false })).toEqual(taken);
  const waiting = ask("requestControl", { id, wait: true }, mine);
  await expect
    .poll(async () => (await rig.ask("readTerminal", { id })).controlRequests, { timeout: 10_000 })
    .toHaveLength(1);
  const open = (await rig.ask("readTerminal", { id })).controlRequests?.[0];
  await ask("answerControl", { id, requestId: open?.requestId ?? "", grant: true });
  expect(await waiting).toMatchObject({ outcome: "granted", by: OPERATOR.id });
  expect(await ask("handBackClaim", { id }, mine)).toMatchObject({
    claim: { clientId: OPERATOR.id },
  });
});

test("people are asked to type, answer or decline, and see what is open", async () => {
  const mine = agentNamed("asker");
  const { id } = await rig.create("stty -echo; read answer; stty echo; echo got it; cat", mine);
  await ask("waitFor", { id, until: [{ kind: "inputNeeded" }], timeoutMs: 20_000, after: 0 });
  const waiting = ask("requestInput", { id, prompt: "the password", wait: true }, mine);
  const open = async () => (await ask("readTerminal", { id })).inputRequests;
  await expect
    .poll(open, { timeout: 10_000 })
    .toMatchObject([{ by: mine.id, prompt: "the password", secret: true }]);
  const { terminals } = await ask("listTerminals", {});
  expect(terminals.find((one) => one.id === id)?.inputRequests).toEqual(await open());
  const requestId = (await open())?.[0]?.requestId ?? "";
  await ask("answerInput", { id, requestId, text: "hunter2" });
  expect(await waiting).toMatchObject({ outcome: "answered", by: OPERATOR.id });
  expect(await open()).toBeUndefined();
  await ask("waitFor", { id, until: [{ kind: "text", text: "got it" }], after: 0 });
  const { entries } = await ask("findRecordingEntries", { terminalId: id });
  expect(JSON.stringify([entries, await rig.audit()])).not.toContain("hunter2");
  // What the terminal shows is not hidden: such a secret is not typed at all.
  const { request, outcome } = await ask("requestInput", { id, prompt: "x", secret: true }, mine);
  expect(outcome).toBe("pending");
  const answer = { id, requestId: request.requestId };
  await expect(ask("answerInput", { ...answer, text: "hunter2" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await ask("answerInput", { ...answer, note: "no" })).toMatchObject({
    outcome: "declined",
  });
});

test("P-A1: an answer at a shell's prompt is never typed: it goes to who asked, or is refused", async () => {
  const mine = agentNamed("decider");
  const { id } = await ask("createTerminal", { shell: "bash" }, mine);
  await ask("waitFor", { id, until: [{ kind: "prompt" }], timeoutMs: 20_000 });
  for (const more of [{ kind: "type" } as const, { secret: true }]) {
    const asking = ask("requestInput", { id, prompt: "Shall I deploy?", ...more }, mine);
    await expect(asking).rejects.toMatchObject({ code: "conflict", field: "kind" });
  }
  const { request, outcome } = await ask("requestInput", { id, prompt: "Shall I deploy?" }, mine);
  expect([request.kind, outcome]).toEqual(["answer", "pending"]);
  const { requestId } = request;
  const waiting = ask("readInputRequest", { id, requestId, timeoutMs: 20_000 }, mine);
  await ask("answerInput", { id, requestId, text: "yes" });
  expect(await waiting).toMatchObject({ outcome: "answered", text: "yes", by: OPERATOR.id });
  const { entries } = await ask("findRecordingEntries", { terminalId: id, types: ["input"] });
  expect(entries).toEqual([]);
});

test("P-A1: an answer that is to be typed is refused once the program has ended, and the question stays", async () => {
  const mine = agentNamed("typist");
  const { id } = await ask("createTerminal", { shell: "bash" }, mine);
  await ask("waitFor", { id, until: [{ kind: "prompt" }], timeoutMs: 20_000 });
  await ask("sendInput", { id, data: "read -r x\r" }, mine);
  const until = [{ kind: "inputNeeded" } as const];
  await ask("waitFor", { id, until, timeoutMs: 20_000 });
  const { request } = await ask("requestInput", { id, prompt: "a name", kind: "type" }, mine);
  const { sequence } = await ask("waitFor", { id, until, timeoutMs: 0 });
  await ask("sendInput", { id, keys: ["C-c"] }, mine);
  await ask("waitFor", { id, until: [{ kind: "prompt" }], after: sequence, timeoutMs: 20_000 });
  const answer = { id, requestId: request.requestId };
  await expect(ask("answerInput", { ...answer, text: "rm -rf x" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await ask("readTerminal", { id })).inputRequests).toEqual([request]);
  expect(await ask("withdrawInput", answer, mine)).toMatchObject({ outcome: "withdrawn" });
  const { entries } = await ask("findRecordingEntries", { terminalId: id });
  expect(JSON.stringify(entries)).not.toContain("rm -rf");
});

test("P-A1: what nobody reads yet may be asked for, is said to be so, and is not typed", async () => {
  const mine = agentNamed("early");
  const { id } = await ask("createTerminal", { command: "sleep", args: ["1000"] }, mine);
  const asked = await ask("requestInput", { id, prompt: "a name", kind: "type" }, mine);
  expect(asked).toMatchObject({ outcome: "pending", nobodyReads: true });
  const { requestId } = asked.request;
  await expect(ask("answerInput", { id, requestId, text: "anna" })).rejects.toMatchObject({
    code: "conflict",
    suggestion: expect.stringContaining("Answer again once the program reads"),
  });
  const again = await ask("readInputRequest", { id, requestId }, mine);
  expect(again).toMatchObject({ outcome: "pending", nobodyReads: true });
});

test("the host tells of itself, and its limits can be changed", async () => {
  const info = await ask("readHost", {});
  expect(info).toMatchObject({ pid: process.pid, storage: { state: "ok" } });
  expect(info.terminals.running).toBe(rig.host.registry.limits.count);
  expect(await ask("changeLimits", { maxTerminals: 500 })).toMatchObject({ maxTerminals: 500 });
  expect((await ask("readHost", {})).limits.maxTerminals).toBe(500);
  await expect(ask("changeLimits", { maxTerminals: 0 })).rejects.toMatchObject({
    code: "invalid_argument",
    field: "maxTerminals",
  });
  expect((await ask("listAudit", { limit: 1 })).truncated).toBe(true);
});

test("tokens are made, listed, renewed and taken away, and tickets are made for the caller", async () => {
  const { token } = await ask("createToken", { name: "ci", scope: "readOnly" });
  expect(token).toBe("secret of ci");
  expect((await ask("rotateToken", { name: "ci" })).token).not.toBe(token);
  expect((await ask("listTokens", {})).tokens.map(({ name }) => name)).toEqual(["ci"]);
  await ask("revokeToken", { name: "ci" });
  expect((await ask("listTokens", {})).tokens).toEqual([]);
  await expect(ask("revokeToken", { name: "ci" })).rejects.toMatchObject({
    code: "token_not_found",
  });
  const { ticket } = await ask("createTicket", { path: "/api/terminals/terminal:a/connect" });
  expect(ticket).toBe(`ticket of ${OPERATOR.id}`);
});

test("every operation of the table was asked for", () => {
  expect([...asked].toSorted((a, b) => a.localeCompare(b))).toEqual(
    Object.keys(OPERATIONS).toSorted((a, b) => a.localeCompare(b)),
  );
});
