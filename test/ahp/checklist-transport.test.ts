// The protocol's checklist: the wire itself.
import { afterAll, expect, test } from "vitest";
import { AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

test.each(["/", "/ahp"])(
  "1. a WebSocket without a subprotocol at %s exchanges text frames only",
  async (path) => {
    using client = await AhpClient.open(rig.url({ path }));
    expect(client.socket.protocol).toBe("");
    await client.initialize({ initialSubscriptions: [ROOT] });
    const channel = await rig.run(client, "echo words; exec cat");
    await client.watch(channel);
    await client.untilText(channel, "words\r\n");
    await client.disposeTerminal(channel);
    expect(client.frames.filter(({ isBinary }) => isBinary)).toEqual([]);
  },
);

test("2. each frame is exactly one JSON-RPC message", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.run(client, "echo words; exec cat");
  await client.watch(channel);
  await client.untilText(channel, "words\r\n");
  client.sendText("[]");
  await client.codeOf("unknown");
  await client.disposeTerminal(channel);
  await client.until(() => client.frames.some(({ message }) => message.id === null));
  for (const { text } of client.frames) {
    const message: unknown = JSON.parse(text);
    expect(Array.isArray(message)).toBe(false);
    expect(message).toMatchObject({ jsonrpc: "2.0" });
  }
});

test("3. an offered subprotocol is echoed", async () => {
  using client = await rig.connect({ protocols: ["agent-host", "another"] });
  expect(["agent-host", "another"]).toContain(client.socket.protocol);
  await expect(client.request("ping")).resolves.toBeNull();
});

test("4. every request is answered exactly once with its id, and no notification is", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  const requests = [
    { id: 1000, method: "ping" },
    { id: "text", method: "ping" },
    { id: 0, method: "listSessions" },
    { id: 1001, method: "noSuchThing" },
    { id: -7, method: "subscribe", params: { channel: ownChannel() } },
    { id: "", method: "subscribe", params: { channel } },
    { id: 1002, method: "createTerminal", params: {} },
    { id: 1003, method: "disposeTerminal", params: { channel: ownChannel() } },
    { id: 1004, method: "subscribe", params: null },
  ];
  const notifications = [
    { method: "ping", params: { channel: ROOT } },
    { method: "createTerminal", params: { channel: ownChannel() } },
    { method: "unsubscribe", params: { channel: ownChannel() } },
    { method: "unsubscribe" },
    { method: "dispatchAction", params: { nonsense: true } },
    { method: "noSuchThing", params: [1] },
  ];
  const before = client.frames.length;
  for (const message of [...notifications, ...requests]) {
    client.sendText(JSON.stringify({ jsonrpc: "2.0", params: { channel: ROOT }, ...message }));
  }
  const answers = () =>
    client.frames.slice(before).flatMap(({ message }) => ("id" in message ? [message.id] : []));
  await client.until(() => requests.every(({ id }) => answers().includes(id)));
  await client.request("ping");
  const own = answers().slice(0, -1);
  expect(own.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual(
    requests.map(({ id }) => id).toSorted((one, other) => String(one).localeCompare(String(other))),
  );
});

test("5. every success has a result, which is null where there is nothing to say", async () => {
  using client = await rig.client();
  const channel = ownChannel();
  const claim = { kind: "client", clientId: client.clientId };
  const answers = [
    await client.ask("ping"),
    await client.ask("createTerminal", { channel, claim }),
    await client.ask("disposeTerminal", { channel }),
  ];
  const id = expect.any(Number);
  for (const answer of answers) expect(answer).toEqual({ jsonrpc: "2.0", id, result: null });
});

test("6. invalid JSON is answered with -32700 and no id, and the connection goes on", async () => {
  using client = await rig.connect();
  for (const text of ["{nope", "", '{"jsonrpc":"2.0","id":5,"method":"ping"']) {
    client.forget();
    client.sendText(text);
    await client.until(() => client.frames.length > 0, "an answer to what is no JSON");
    expect(client.frames[0]?.message).toMatchObject({ id: null, error: { code: -32700 } });
  }
  await client.initialize();
  await expect(client.request("ping")).resolves.toBeNull();
});

test("7. an unknown method is answered with -32601, and an unknown notification with nothing", async () => {
  using client = await rig.client();
  expect(await client.codeOf("noSuchThing")).toBe(-32601);
  expect(await client.codeOf("x-example/unknown")).toBe(-32601);
  client.forget();
  client.notify("noSuchThing", { channel: ROOT });
  client.notify("x-example/unknown", {});
  await client.request("ping");
  expect(client.frames).toHaveLength(1);
});

test("8. ping is answered with null before and after the handshake", async () => {
  using client = await rig.connect();
  await expect(client.request("ping")).resolves.toBeNull();
  await client.initialize();
  await expect(client.request("ping")).resolves.toBeNull();
});

test("9. an upgrade without the right token is refused with 401 or 403", async () => {
  const bare = `ws://127.0.0.1:${rig.port}/`;
  const wrong = `nacre_${"A".repeat(43)}`;
  for (const path of ["/", "/ahp"]) {
    await expect(AhpClient.open(rig.url({ path, token: wrong }))).rejects.toThrow(
      /^refused with 40[13]$/,
    );
  }
  await expect(AhpClient.open(bare)).rejects.toThrow(/^refused with 40[13]$/);
  const headers = { authorization: `Bearer ${rig.token}` };
  using client = await AhpClient.open(bare, { socket: { headers } });
  await expect(client.request("ping")).resolves.toBeNull();
});

test("10. anything but ping and a handshake before it is refused, not left unanswered", async () => {
  using client = await rig.connect();
  const channel = ownChannel();
  const claim = { kind: "client", clientId: client.clientId };
  for (const [method, params] of [
    ["listSessions", {}],
    ["subscribe", { channel: ROOT }],
    ["createTerminal", { channel, claim }],
    ["disposeTerminal", { channel }],
    ["noSuchThing", {}],
  ] as const) {
    expect([-32600, -32601]).toContain(await client.codeOf(method, params));
  }
  const { snapshots } = await client.initialize({ initialSubscriptions: [ROOT] });
  expect(JSON.stringify(snapshots)).not.toContain(channel);
});

test("11. ping is answered within 5 seconds while a terminal floods", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "read x; exec yes 'a line that comes again and again'");
  client.handleEnvelope = () => client.forget();
  await client.watch(channel);
  client.type(channel, "\r");
  await client.untilText(channel, "again\r\n");
  for (let time = 0; time < 5; time++) {
    const startedAt = performance.now();
    await Promise.all([client.request("ping"), other.request("ping")]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  }
  await client.disposeTerminal(channel);
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
