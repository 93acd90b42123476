// What callers may not do, generated from the table: an agent with what is not its own, a reader with what changes something.
import {
  type Caller,
  CommandId,
  type Operation,
  type OperationInput,
  type OperationName,
  OPERATIONS,
  type TerminalId,
} from "@nacre/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { agentNamed, READER, OperationsRig } from "./operations-rig.ts";

const rig = await OperationsRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const ALICE = agentNamed("alice");
const MALLORY = agentNamed("mallory");
const SECRET = "alices-secret-word";

const live = (await rig.create(`echo ${SECRET}; exec cat`, ALICE)).id;
const ended = await rig.createEnded(`echo ${SECRET}`, ALICE);
const own = (await rig.create("cat", MALLORY)).id;
await rig.ask("waitFor", { id: live, until: [{ kind: "text", text: SECRET }], after: 0 });
// Both programs read by now, so that nothing about them changes by itself while the tests compare.
for (const id of [live, own]) {
  await rig.ask("waitFor", { id, until: [{ kind: "inputNeeded" }], after: 0 });
}
await rig.host.recordings.whenIndexed();

/** An input for each operation that names this terminal wherever it can name one. */
const INPUTS: { readonly [Name in OperationName]: (id: TerminalId) => OperationInput<Name> } = {
  createTerminal: () => ({
    workingDirectory: "/tmp",
    owner: { entityName: "Agent", entityId: "alice" },
  }),
  listTerminals: (after) => ({ after }),
  readTerminal: (id) => ({ id }),
  renameTerminal: (id) => ({ id, title: "mine now" }),
  disposeTerminal: (id) => ({ id }),
  disposeTerminals: () => ({ owner: { entityName: "Agent", entityId: "alice" } }),
  signalTerminal: (id) => ({ id, signal: "SIGTERM" }),
  killTerminal: (id) => ({ id }),
  readScreen: (id) => ({ id }),
  sendInput: (id) => ({ id, data: "rm -rf\n" }),
  pasteText: (id) => ({ id, text: "rm -rf\n" }),
  resizeTerminal: (id) => ({ id, cols: 10, rows: 10 }),
  clearTerminal: (id) => ({ id }),
  markRecording: (id) => ({ id, label: "was here" }),
  runCommand: (id) => ({ id, commandLine: "id" }),
  listCommands: (id) => ({ id }),
  readCommand: (id) => ({ id, commandId: CommandId.parse("c1") }),
  execCommand: () => ({ commandLine: "id", owner: { entityName: "Agent", entityId: "alice" } }),
  waitFor: (id) => ({ id, until: [{ kind: "exit" }], timeoutMs: 0 }),
  readOutput: (id) => ({ id }),
  findRecordingEntries: (terminalId) => ({ terminalId }),
  searchRecordings: (id) => ({ text: SECRET, terminalIds: [id] }),
  listRecordings: (after) => ({ after }),
  readTimeline: (id) => ({ id }),
  verifyRecording: (id) => ({ id }),
  pruneRecordings: () => ({ maxAgeMs: 0 }),
  deleteRecording: (id) => ({ id }),
  readClaim: (id) => ({ id }),
  moveClaim: (id) => ({ id }),
  handBackClaim: (id) => ({ id }),
  requestControl: (id) => ({ id }),
  requestInput: (id) => ({ id, prompt: "your password" }),
  answerInput: (id) => ({ id, requestId: "r1", text: "rm -rf" }),
  readInputRequest: (id) => ({ id, requestId: "r1" }),
  withdrawInput: (id) => ({ id, requestId: "r1" }),
  answerControl: (id) => ({ id, requestId: "r1", grant: true }),
  readHost: () => ({}),
  changeLimits: () => ({ maxTerminals: 1 }),
  listAudit: () => ({}),
  listTokens: () => ({}),
  createToken: () => ({ name: "mine", scope: "operator" }),
  rotateToken: () => ({ name: "operator" }),
  revokeToken: () => ({ name: "operator" }),
  createTicket: () => ({ path: "/api/events" }),
};

/** What concerns no terminal and is the same for everybody. */
const FOR_ALL: readonly string[] = ["readHost", "createTicket"];

/** What an agent hears of a terminal that is not its own. */
function refusalOf(name: string, { scopes }: Operation) {
  if (!scopes.includes("agent")) return { code: "forbidden" };
  if (["createTerminal", "execCommand", "disposeTerminals"].includes(name)) {
    return { code: "forbidden", field: "owner" };
  }
  if (name === "listTerminals" || name === "listRecordings") {
    return { code: "invalid_argument", field: "after" };
  }
  return { code: "terminal_not_found" };
}

const rows = Object.entries<Operation>(OPERATIONS);
const inputOf = (name: string, id: TerminalId): unknown =>
  // The keys of the table are the names of operations.
  INPUTS[name as OperationName](id);

/** Everything that would tell that something was changed. */
const traces = async () => [
  await rig.trace(live),
  await rig.trace(ended),
  (await rig.ask("listTerminals", {})).terminals,
  (await rig.ask("listRecordings", {})).recordings,
  (await rig.ask("readHost", {})).limits,
  (await rig.ask("listTokens", {})).tokens,
];

const call = (name: string, input: unknown, caller: Caller) =>
  rig.host.operations.call(name as OperationName, input, { caller, via: "library" });

describe.each([
  ["running", live],
  ["ended", ended],
])("an agent and somebody else's %s terminal", (_kind, id) => {
  test.each(rows.filter(([name]) => !FOR_ALL.includes(name)))(
    "%s is refused and changes nothing",
    async (name, operation) => {
      const before = await traces();
      const start = (await rig.audit()).length;
      await expect(call(name, inputOf(name, id), MALLORY)).rejects.toMatchObject(
        refusalOf(name, operation),
      );
      expect(await traces()).toEqual(before);
      const records = (await rig.audit()).slice(start);
      expect(records.map(({ action, caller }) => ({ action, caller }))).toEqual(
        operation.mutates || refusalOf(name, operation).code !== "invalid_argument"
          ? [{ action: name, caller: MALLORY.id }]
          : [],
      );
    },
  );

  test("hears the same of a terminal that never was", async () => {
    const words = (text: string) => text.replaceAll(/terminal:[\w-]+/g, "terminal:…");
    const refusal = async (asked: TerminalId) => {
      const error: unknown = await call("readTerminal", { id: asked }, MALLORY).catch(
        (thrown: unknown) => thrown,
      );
      return error instanceof Error ? words(error.message) : "";
    };
    expect(await refusal(id)).toBe(await refusal("terminal:never" as TerminalId));
  });

  test("cannot be followed or attached to", async () => {
    const context = { caller: MALLORY, via: "library" } as const;
    const { operations } = rig.host;
    const refused = { code: "terminal_not_found" };
    await expect(operations.follow("terminalFeed", { id }, context)).rejects.toMatchObject(refused);
    await expect(operations.attach(id, {}, context)).rejects.toMatchObject(refused);
  });
});

describe("what an agent finds without naming it", () => {
  test("is its own in every list and search", async () => {
    const listed = await rig.ask("listTerminals", {}, MALLORY);
    expect(listed.terminals.map(({ id }) => id)).toEqual([own]);
    const recorded = await rig.ask("listRecordings", {}, MALLORY);
    expect(recorded.recordings.map(({ id }) => id)).toEqual([own]);
    expect((await rig.ask("searchRecordings", { text: SECRET }, MALLORY)).hits).toEqual([]);
    const found = await rig.ask("searchRecordings", { text: SECRET, types: ["output"] }, ALICE);
    expect(found.hits.length).toBeGreaterThan(0);
  });

  test.each(["listTerminals", "listRecordings"] as const)(
    "%s refuses the owner of others",
    async (name) => {
      const owner = { entityName: "Agent", entityId: "alice" };
      const refused = { code: "forbidden", field: "owner" };
      await expect(rig.ask(name, { owner }, MALLORY)).rejects.toMatchObject(refused);
      await expect(
        rig.ask("searchRecordings", { text: SECRET, owner }, MALLORY),
      ).rejects.toMatchObject(refused);
    },
  );
});

describe("a reader", () => {
  test.each(rows.filter(([, { mutates }]) => mutates))(
    "may not %s, and nothing changes",
    async (name) => {
      const before = await traces();
      await expect(call(name, inputOf(name, live), READER)).rejects.toMatchObject({
        code: "forbidden",
      });
      expect(await traces()).toEqual(before);
    },
  );

  test("reads everything that is not secret", async () => {
    expect(await rig.ask("readTerminal", { id: live }, READER)).toMatchObject({ id: live });
    const { hits } = await rig.ask("searchRecordings", { text: SECRET }, READER);
    expect(hits.length).toBeGreaterThan(0);
  });
});

test.each([
  ["an agent", ALICE],
  ["a reader", READER],
])("%s does not get output as the program wrote it", async (_who, caller) => {
  const refused = { code: "forbidden", field: "view" };
  const view = "raw";
  await expect(rig.ask("readOutput", { id: live, view }, caller)).rejects.toMatchObject(refused);
  const find = { terminalId: live, view } as const;
  await expect(rig.ask("findRecordingEntries", find, caller)).rejects.toMatchObject(refused);
  const context = { caller, via: "library" } as const;
  const follow = rig.host.operations.follow("terminalFeed", { id: live, view }, context);
  await expect(follow).rejects.toMatchObject(refused);
});
