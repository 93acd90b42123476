import { CallerId, TerminalSchema } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entriesOf } from "../support/recorded-entries.ts";
import { OWNER, shLine } from "../support/terminal-input.ts";
import { untilText } from "../support/terminal-output.ts";
import { type IpcServer, openIpc } from "./ipc-server.ts";

/** A program that answers to each line. */
const echo = { ...shLine('while read -r line; do echo "got $line"; done'), name: "echo" };

let server: IpcServer;
beforeAll(async () => {
  server = await openIpc();
});
afterAll(() => server[Symbol.asyncDispose]());

test("a terminal is created, read and typed into, and its entries are found", async () => {
  using client = await server.connect();
  const params = { entity: "Terminal", method: "create", payload: echo };
  const created = TerminalSchema.parse(await client.result("entity.command", params));
  expect(created).toMatchObject({ owner: OWNER, name: "echo", connected: true });
  const { id } = created;
  const typing = { entity: "Terminal", method: "sendInput", id, payload: { data: "a line\r" } };
  await client.result("entity.command", typing);
  const terminal = server.host.registry.get(id);
  await untilText(terminal, "got a line");
  const reading = { entity: "Terminal", method: "read", id };
  expect(await client.result("entity.query", reading)).toMatchObject({ id, dead: false });
  const payload = { terminalId: id, types: ["input"] };
  const finding = { entity: "TerminalRecordingEntry", method: "find", payload };
  expect(await client.result("entity.query", finding)).toMatchObject({
    entries: [{ type: "input", data: "a line\r" }],
    truncated: false,
  });
});

test("requests that are sent at once are done in their order", async () => {
  using client = await server.connect();
  const { id } = await server.host.createTerminal(echo);
  const words = Array.from({ length: 20 }, (_, index) => `word${index}\r`);
  const answers = words.map((data) =>
    client.ask("entity.command", {
      entity: "Terminal",
      method: "sendInput",
      id,
      payload: { data },
    }),
  );
  expect((await Promise.all(answers)).map(({ ok }) => ok)).toEqual(words.map(() => true));
  const entries = await entriesOf(server.host, id);
  const typed = entries.flatMap((entry) => (entry.type === "input" ? (entry.data ?? []) : []));
  expect(Buffer.concat(typed).toString()).toBe(words.join(""));
});

test("the host tells that it is there and what it is", async () => {
  using client = await server.connect();
  expect(await client.ask("ping")).toEqual({
    type: "response",
    id: "r1",
    ok: true,
    result: { ok: true, protocolVersion: 1 },
  });
  expect(await client.result("system.status")).toMatchObject({
    terminals: { running: expect.any(Number) as number },
    pid: expect.any(Number) as number,
  });
});

const refusals: readonly [string, string, unknown, object][] = [
  ["an unknown method", "entity.paint", {}, { code: "NOT_IMPLEMENTED", field: "method" }],
  [
    "an unknown entity",
    "entity.query",
    { entity: "Mission", method: "read", id: "mission:1" },
    { code: "NOT_IMPLEMENTED", suggestion: "There are Terminal, TerminalRecordingEntry." },
  ],
  [
    "an unknown method of an entity",
    "entity.command",
    { entity: "Terminal", method: "explode", id: "terminal:a" },
    { code: "NOT_IMPLEMENTED", suggestion: "It has create, read, sendInput." },
  ],
  [
    "a method that every object has",
    "entity.command",
    { entity: "Terminal", method: "toString" },
    { code: "NOT_IMPLEMENTED" },
  ],
  [
    "what only the host does",
    "entity.command",
    { entity: "TerminalRecordingEntry", method: "append", payload: {} },
    { code: "NOT_IMPLEMENTED", suggestion: "It has find." },
  ],
  [
    "a query as a command",
    "entity.command",
    { entity: "Terminal", method: "read", id: "terminal:a" },
    { code: "invalid_argument", suggestion: "Ask for it by entity.query." },
  ],
  [
    "a method of an entity without its id",
    "entity.query",
    { entity: "Terminal", method: "read" },
    { code: "invalid_argument", field: "params.id" },
  ],
  [
    "a method that concerns no entity with an id",
    "entity.command",
    { entity: "Terminal", method: "create", id: "terminal:a", payload: echo },
    { code: "invalid_argument", field: "params.id" },
  ],
  [
    "two different ids",
    "entity.query",
    { entity: "Terminal", method: "read", id: "terminal:a", payload: { id: "terminal:b" } },
    { code: "invalid_argument", field: "params.id" },
  ],
  [
    "a payload that the contract does not know",
    "entity.command",
    { entity: "Terminal", method: "create", payload: { ...echo, colour: "red" } },
    { code: "invalid_argument", field: "params.payload.colour" },
  ],
  [
    "an id that is none",
    "entity.query",
    { entity: "Terminal", method: "read", id: "../etc/passwd" },
    {
      code: "invalid_argument",
      field: "params.payload.id",
      validationErrors: [{ path: "id", message: expect.any(String) as string }],
    },
  ],
  [
    "a terminal that is not there",
    "entity.query",
    { entity: "Terminal", method: "read", id: "terminal:nobody" },
    { code: "terminal_not_found" },
  ],
  ["parameters where there are none", "ping", { loud: true }, { code: "invalid_argument" }],
];

test.each(refusals)(
  "%s is refused, and the connection goes on",
  async (_, method, params, error) => {
    using client = await server.connect();
    expect(await client.ask(method, params)).toMatchObject({ id: "r1", ok: false, error });
    expect(await client.ask("ping")).toMatchObject({ ok: true });
    expect(server.faults).toEqual([]);
  },
);

test("a reader may look but not change", async () => {
  using client = await server.connect({ id: CallerId.parse("reader"), scope: "readOnly" });
  const { id } = await server.host.createTerminal(echo);
  const reading = { entity: "Terminal", method: "read", id };
  expect(await client.ask("entity.query", reading)).toMatchObject({ ok: true });
  const typing = { entity: "Terminal", method: "sendInput", id, payload: { data: "x" } };
  expect(await client.ask("entity.command", typing)).toMatchObject({
    error: { code: "forbidden" },
  });
});

test("a connection is one client, and says which in its first request", async () => {
  using client = await server.connect();
  expect(await client.ask("ping", undefined, { clientId: "editor" })).toMatchObject({ ok: true });
  expect(await client.ask("ping")).toMatchObject({ ok: true });
  expect(await client.ask("ping", undefined, { clientId: "other" })).toMatchObject({
    error: { code: "invalid_argument" },
  });
  expect(await client.ask("ping", undefined, { clientId: "a b" })).toMatchObject({
    error: { code: "invalid_argument" },
  });
});
