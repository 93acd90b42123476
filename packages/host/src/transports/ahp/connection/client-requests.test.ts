import { afterEach, beforeEach, expect, test } from "vitest";
import { CONNECTION_LIMITS } from "./connection-limits.ts";
import { type Client, Rig, settle } from "./testing/rig.ts";

const CHANNEL = "ahp-terminal:/build";
const claim = { kind: "client", clientId: "window" };

let rig: Rig;
let client: Client;

beforeEach(async () => {
  rig = new Rig();
  client = rig.connect();
  await client.initialize();
});

afterEach(() => rig[Symbol.dispose]());

const lastCall = (): unknown => {
  const [name = "", ...rest] = (rig.done.at(-1) ?? "").split(" ");
  return [name, JSON.parse(rest.join(" "))];
};

test("a terminal is created from the words of the protocol, and from more under our own key", async () => {
  const params = {
    channel: CHANNEL,
    claim,
    name: "build",
    cwd: "file:///srv/a%20b",
    rows: 30,
    _meta: { "dev.nacre": { command: "make", args: ["all"] }, other: 1 },
  };
  expect(await client.request("createTerminal", params)).toMatchObject({ result: null });
  expect(lastCall()).toEqual([
    "createTerminal",
    {
      id: "terminal:build",
      claim: { kind: "client", clientId: "olga#window" },
      name: "build",
      workingDirectory: "/srv/a b",
      size: { cols: 80, rows: 30 },
      command: "make",
      args: ["all"],
    },
  ]);
});

test("an address that the client chose is kept with whose terminal it is", async () => {
  const channel = "agenthost-terminal:/x";
  await client.request("createTerminal", { channel, claim });
  expect(lastCall()).toMatchObject([
    "createTerminal",
    { owner: { entityName: "System", entityId: "olga", attributes: { ahpChannel: channel } } },
  ]);
});

test.each([
  ["claim", {}],
  ["claim.clientId", { claim: { kind: "client", clientId: "somebody else" } }],
  ["cwd", { claim, cwd: "https://example.org/" }],
  ["cols", { claim, cols: 0 }],
  ["channel", { claim, channel: "ahp-root://" }],
  ["channel", { claim, channel: "ahp-session:/x" }],
  ["_meta.dev.nacre.id", { claim, _meta: { "dev.nacre": { id: "terminal:x" } } }],
  ["_meta.dev.nacre", { claim, _meta: { "dev.nacre": "make" } }],
])("what is wrong with %s of a new terminal is refused", async (field, params) => {
  const answer = await client.request("createTerminal", { channel: CHANNEL, ...params });
  expect(answer.error).toMatchObject({ code: -32602, data: { field } });
  expect(rig.done).toEqual([]);
});

test.each([
  "ahp-terminal:/a.b",
  "ahp-terminal:/a/b",
  "ahp-terminal:/with%20pct",
  "ahp-terminal://host/id",
  `ahp-terminal:/${"a".repeat(500)}`,
])("A-F4: a terminal at %s has an id of its own for other wires", async (channel) => {
  const answer = await client.request("createTerminal", { channel, claim });
  expect(answer).toMatchObject({ result: null });
  const [name, input] = lastCall() as [string, object];
  expect(name).toBe("createTerminal");
  expect(input).toMatchObject({ owner: { attributes: { ahpChannel: channel } } });
  expect(input).not.toHaveProperty("id");
});

test("A-F4: an address that is too long is refused with its bound", async () => {
  const channel = `ahp-terminal:/${"ä".repeat(600)}`;
  const answer = await client.request("createTerminal", { channel, claim });
  expect(answer.error).toMatchObject({ code: -32602, data: { field: "channel" } });
  expect(answer.error?.message).toContain("1024 bytes");
});

test("of two that ask for the same address one gets it", async () => {
  const answers = await Promise.all([
    client.request("createTerminal", { channel: CHANNEL, claim }),
    client.request("createTerminal", { channel: CHANNEL, claim }),
  ]);
  expect(answers.map(({ error }) => error?.code)).toEqual([undefined, -32010]);
  expect(rig.done).toHaveLength(1);
});

test("what is not there is disposed of already, and what is no terminal cannot be", async () => {
  const answer = await client.request("disposeTerminal", { channel: CHANNEL });
  expect(answer).toMatchObject({ result: null });
  expect(await client.request("disposeTerminal")).toMatchObject({ error: { code: -32602 } });
  rig.add("build");
  await client.request("disposeTerminal", { channel: CHANNEL });
  expect(lastCall()).toEqual(["disposeTerminal", { id: "terminal:build" }]);
});

test("every operation is a request, on a terminal without its id", async () => {
  rig.add("build");
  const input = { format: "text" };
  const answer = await client.request("x-nacre/readScreen", { channel: CHANNEL, input });
  expect(answer.result).toEqual({ name: "readScreen", input: { id: "terminal:build", ...input } });
  const listed = await client.request("x-nacre/listTerminals");
  expect(listed.result).toEqual({ name: "listTerminals", input: {} });
  for (const method of ["x-nacre/toString", "x-nacre/", "x-other/readScreen"]) {
    expect(await client.request(method)).toMatchObject({ error: { code: -32601 } });
  }
  const nowhere = await client.request("x-nacre/readScreen", { channel: "ahp-terminal:/no" });
  expect(nowhere).toMatchObject({ error: { code: -32008 } });
});

test.each([
  ["listSessions", { result: { items: [] } }],
  ["createSession", { error: { code: -32002 } }],
  ["resolveSessionConfig", { error: { code: -32002 } }],
  ["disposeSession", { error: { code: -32001 } }],
  ["fetchTurns", { error: { code: -32001 } }],
  ["authenticate", { error: { code: -32602 } }],
  ["resourceRequest", { error: { code: -32009 } }],
  ["resourceRead", { error: { code: -32601 } }],
  ["createTcpConnection", { error: { code: -32601 } }],
])("%s has a defined answer", async (method, answer) => {
  expect(await client.request(method)).toMatchObject(answer);
});

test("the channel of a terminal stands for it by the name that the operation has for it", async () => {
  rig.add("build");
  for (const name of ["readOutput", "findRecordingEntries"]) {
    await client.request(`x-nacre/${name}`, { channel: CHANNEL, input: { limit: 1 } });
  }
  expect(rig.done).toEqual([
    'readOutput {"id":"terminal:build","limit":1}',
    'findRecordingEntries {"terminalId":"terminal:build","limit":1}',
  ]);
});

test("answers that can be large are made a few at a time, and others do not wait for them", async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  Object.defineProperty(rig, "beforeCalling", {
    get: () => {
      begun++;
      return gate.promise;
    },
  });
  const read = (name: string): Promise<unknown> => client.request(`x-nacre/${name}`, { input: {} });
  const reads = Array.from({ length: 50 }, () => read("readOutput"));
  await settle();
  expect(begun).toBe(CONNECTION_LIMITS.snapshots);
  const other = read("waitFor");
  await settle();
  expect(begun).toBe(CONNECTION_LIMITS.snapshots + 1);
  gate.resolve();
  await Promise.all([...reads, other]);
  expect(begun).toBe(51);
});
