import { createHash } from "node:crypto";
import {
  type AuditRecord,
  CallerId,
  ClientId,
  CommandId,
  type NewAuditRecord,
} from "@nacre/contracts";
import { afterAll, expect, test } from "vitest";
import { ownDirectory } from "../support/own-directory.ts";
import { agentNamed, OPERATOR, READER, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** The records of what this does. */
async function recordsOf(run: () => Promise<unknown>): Promise<AuditRecord[]> {
  const start = (await rig.audit()).length;
  await run().catch(() => undefined);
  return (await rig.audit()).slice(start);
}

const plainDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

const { id } = await rig.create("cat");

test("each change leaves one record that says how much and which, never what", async () => {
  const secret = "hunter2-correct-horse";
  const [record, ...others] = await recordsOf(() => rig.ask("sendInput", { id, data: secret }));
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    caller: OPERATOR.id,
    scope: "operator",
    via: "library",
    action: "sendInput",
    terminalId: id,
    outcome: "ok",
    facts: { bytes: secret.length, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  });
  // Whoever reads the audit cannot try which secret it was.
  expect(record?.facts?.["digest"]).not.toBe(plainDigest(secret));
  const [again] = await recordsOf(() => rig.ask("sendInput", { id, data: secret }));
  expect(again?.facts).toEqual(record?.facts);
  const many = await recordsOf(async () => {
    await rig.ask("pasteText", { id, text: secret });
    await rig.ask("renameTerminal", { id, title: secret });
    await rig.ask("markRecording", { id, label: secret });
    await rig.ask("execCommand", {
      workingDirectory: "/tmp",
      command: "/bin/echo",
      args: [secret],
    });
    await rig.ask("createToken", { name: "t1", scope: "readOnly" });
  });
  expect(many.map(({ action }) => action)).toEqual([
    "pasteText",
    "renameTerminal",
    "markRecording",
    "execCommand",
    "createToken",
  ]);
  expect(JSON.stringify(many)).not.toContain(secret);
  expect(JSON.stringify(many)).not.toContain("secret of");
});

test("of a secret not even the length is told, nor of what was refused", async () => {
  const asking = await rig.create("stty -echo; echo ready; cat");
  await rig.ask("waitFor", { id: asking.id, until: [{ kind: "text", text: "ready" }], after: 0 });
  const typed = await recordsOf(async () => {
    await rig.ask("sendInput", { id: asking.id, data: "hunter2\r", cols: 90, rows: 20 });
    await rig.ask("pasteText", { id: asking.id, text: "hunter2" });
  });
  expect(typed.map(({ facts }) => facts)).toEqual([
    { redacted: true, cols: 90, rows: 20 },
    { redacted: true },
  ]);
  const other = { ...OPERATOR, id: CallerId.parse("otto"), clientId: ClientId.parse("otto") };
  const { epoch } = await rig.ask("moveClaim", { id: asking.id }, other);
  const refused = await recordsOf(() =>
    rig.ask("sendInput", { id: asking.id, data: "hunter2", epoch: epoch - 1 }),
  );
  expect(refused).toMatchObject([{ action: "sendInput", outcome: "conflict" }]);
  expect(refused[0]?.facts).not.toHaveProperty("bytes");
  expect(refused[0]?.facts).not.toHaveProperty("digest");
});

test("nothing is told of what is typed where input is not recorded", async () => {
  const input = {
    workingDirectory: "/tmp",
    command: "/bin/cat",
    inputRecording: "counts",
  } as const;
  const { id: quiet } = await rig.ask("createTerminal", input);
  const [record] = await recordsOf(() => rig.ask("sendInput", { id: quiet, data: "hunter2" }));
  expect(record?.facts).toEqual({ redacted: true });
});

test("the audit is there after a restart, and goes on", async () => {
  using directory = ownDirectory();
  const options = { directory: directory.path };
  {
    await using first = await OperationsRig.open(options);
    await first.create("true");
  }
  await using second = await OperationsRig.open(options);
  await second.create("true");
  const kept = await second.audit();
  expect(kept.map(({ sequence, action }) => [sequence, action])).toEqual([
    [1, "createTerminal"],
    [2, "createTerminal"],
  ]);
});

test("a terminal that is created or run is named in the record", async () => {
  const [created] = await recordsOf(() => rig.create("true"));
  expect(created?.terminalId).toMatch(/^terminal:/);
  const [run] = await recordsOf(() =>
    rig.ask("execCommand", { workingDirectory: "/tmp", command: "/bin/true" }),
  );
  expect(run).toMatchObject({
    outcome: "ok",
    terminalId: expect.stringMatching(/^terminal:/) as string,
  });
});

test("what is refused leaves one record with the code and the field", async () => {
  const wrong = await recordsOf(() =>
    rig.host.operations.call(
      "resizeTerminal",
      { id, cols: 0, rows: 1 },
      { caller: OPERATOR, via: "http", peer: "127.0.0.1:4" },
    ),
  );
  expect(wrong).toMatchObject([
    {
      action: "resizeTerminal",
      terminalId: id,
      outcome: "invalid_argument",
      facts: { field: "cols" },
      via: "http",
      peer: "127.0.0.1:4",
    },
  ]);
  const gone = await recordsOf(() =>
    rig.host.operations.call(
      "killTerminal",
      { id: "terminal:gone" },
      { caller: OPERATOR, via: "http" },
    ),
  );
  expect(gone).toMatchObject([{ action: "killTerminal", outcome: "terminal_not_found" }]);
});

test("questions leave none, unless they are refused", async () => {
  const commandId = CommandId.parse("c1");
  expect(
    await recordsOf(async () => {
      await rig.ask("readTerminal", { id });
      await rig.ask("listCommands", { id });
      await rig.ask("readCommand", { id, commandId });
    }),
  ).toEqual([]);
  expect(await recordsOf(() => rig.ask("listTokens", {}, READER))).toMatchObject([
    { action: "listTokens", caller: READER.id, outcome: "forbidden" },
  ]);
  expect(await recordsOf(() => rig.ask("readTerminal", { id }, agentNamed("eve")))).toMatchObject([
    { action: "readTerminal", terminalId: id, outcome: "terminal_not_found" },
  ]);
});

test("the answer waits for its record, and comes even when the record cannot be kept", async () => {
  const kept = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<NewAuditRecord>();
  const problems: unknown[] = [];
  const audit = {
    append: async (record: NewAuditRecord) => {
      begun.resolve(record);
      if (record.action === "clearTerminal") throw new Error("no room");
      await kept.promise;
    },
    list: async () => ({ records: [], truncated: false as const }),
  };
  await using other = await OperationsRig.open({
    audit,
    handleProblem: (_id, error) => void problems.push(error),
  });
  let isAnswered = false;
  const created = other.create("cat").finally(() => (isAnswered = true));
  expect(await begun.promise).toMatchObject({ action: "createTerminal", outcome: "ok" });
  expect(isAnswered).toBe(false);
  kept.resolve();
  await other.ask("clearTerminal", { id: (await created).id });
  expect(problems).toEqual([
    expect.objectContaining({ message: expect.stringContaining("no room") as string }),
  ]);
});

test("while the disk is full a change is answered soon, and a record that is lost in the end is named", async () => {
  const problems: unknown[] = [];
  {
    await using full = await OperationsRig.open({
      floorBytes: Number.MAX_SAFE_INTEGER,
      handleProblem: (_id, error) => void problems.push(error),
    });
    await full.ask("changeLimits", { maxTerminals: 7 });
    expect(full.host.recordings.state).toMatchObject({ state: "degraded", reason: "diskFull" });
    expect(problems).toEqual([]);
  }
  expect(problems).toEqual([
    expect.objectContaining({
      code: "recording_blocked",
      message: expect.stringContaining("no record of changeLimits by olga (ok)") as string,
    }),
  ]);
});
