// The protocol's checklist: what a host of terminals does not have, and whether each point of the list is tested.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ownChannel, ROOT } from "../support/ahp-client.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** How many points the checklist has. */
const POINTS = 74;

test("71. what VS Code says after it has connected does no harm", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using other = await rig.client({ subscriptions: [ROOT] });
  const before = client.root;
  const seqs = [{ config: { values: { a: 1 } } }, { config: {}, replace: true }, {}].map((fields) =>
    client.dispatch(ROOT, { type: "root/configChanged", ...fields }),
  );
  client.notify("setClientManagedSettingsPermissions", { channel: ROOT, permissions: {} });
  for (const clientSeq of seqs)
    expect(await client.untilOwn(clientSeq)).toMatchObject({ channel: ROOT });
  expect(client.root).toEqual(before);
  await expect(client.request("ping")).resolves.toBeNull();
  const channel = await rig.run(client, "echo words; exec cat");
  await client.watch(channel);
  await client.untilText(channel, "words\r\n");
  await other.until(() => other.root.terminals?.length === 1);
  expect(other.root).not.toHaveProperty("config");
});

test("72. authenticate is an error, and so is everything about sessions and resources", async () => {
  using client = await rig.client();
  const session = "ahp-session:/s1";
  const asked: readonly (readonly [string, object, readonly number[]])[] = [
    ["authenticate", { resource: "https://api.example.com", token: "t" }, [-32602]],
    ["createSession", { channel: session, provider: "copilot" }, [-32002]],
    ["resolveSessionConfig", { provider: "copilot" }, [-32002]],
    ["sessionConfigCompletions", { provider: "copilot" }, [-32002]],
    ["disposeSession", { channel: session }, [-32001, -32601]],
    ["createChat", { channel: session }, [-32001, -32601]],
    ["fetchTurns", { channel: session }, [-32001, -32601]],
    ["completions", { channel: session }, [-32001, -32601]],
    ["invokeChangesetOperation", { channel: session }, [-32001, -32601]],
    ["resourceList", { uri: "file:///" }, [-32601]],
    ["resourceRead", { uri: "file:///etc/passwd" }, [-32601]],
    ["resourceWrite", { uri: "file:///tmp/x", data: "" }, [-32601]],
    ["resourceDelete", { uri: "file:///tmp/x" }, [-32601]],
    ["createResourceWatch", { uri: "file:///tmp" }, [-32601]],
    ["createTcpConnection", { host: "127.0.0.1", port: 1 }, [-32601]],
    ["subscribe", { channel: session }, [-32008]],
    ["subscribe", { channel: "ahp-chat:/c1" }, [-32008]],
  ];
  const wrong: unknown[] = [];
  for (const [method, params, codes] of asked) {
    const code = await client.codeOf(method, params);
    if (code === undefined || !codes.includes(code)) wrong.push({ method, params, code });
  }
  expect(wrong).toEqual([]);
  expect([undefined, -32009]).toContain(await client.codeOf("resourceRequest", {}));
});

test("73. windows of a reconnect are left aside", async () => {
  const client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  await client.drop();
  const windows = { items: [{ channel, lastAppliedServerSeq: 1 }] };
  for (const lastSeenServerSeq of [client.mirrors.lastSeenServerSeq, Number.MAX_SAFE_INTEGER]) {
    using again = await rig.again(client);
    const params = { lastSeenServerSeq, subscriptions: [channel], windows };
    const answer = await again.reconnect(params);
    expect(answer).not.toHaveProperty("windows");
    expect(["replay", "snapshot"]).toContain(answer.type);
    again.type(channel, `words-${lastSeenServerSeq}\r`);
    await again.untilText(channel, `words-${lastSeenServerSeq}\r\n`);
  }
});

test("74. subscriptions of a reconnect may each have a cursor", async () => {
  using observer = await rig.client();
  const client = await rig.client();
  const one = await rig.run(client, "exec cat");
  const two = await rig.run(client, "exec cat");
  const { fromSeq } = await client.subscribe(one);
  await client.watch(two);
  await observer.watch(one);
  await client.drop();
  observer.type(one, "words\r");
  await observer.untilText(one, "words\r\nwords\r\n");
  using again = await rig.again(client);
  const missing = ownChannel();
  const result = await again.request("reconnect", {
    clientId: client.clientId,
    subscriptions: [
      { channel: one, lastSeenServerSeq: fromSeq },
      { channel: two, lastSeenServerSeq: 0 },
      { channel: missing, lastSeenServerSeq: 3 },
    ],
  });
  expect(result).toEqual({
    channels: [
      { kind: "replay", channel: one, actions: observer.envelopesOf(one) },
      {
        kind: "snapshot",
        channel: two,
        snapshot: { resource: two, fromSeq: expect.any(Number), state: expect.any(Object) },
      },
      { kind: "missing", channel: missing },
    ],
  });
  observer.type(two, "more\r");
  await again.untilEnvelope(({ channel }) => channel === two);
});

test("every point of the checklist has a test", () => {
  const numbers = readdirSync(import.meta.dirname)
    .filter((name) => name.startsWith("checklist-"))
    .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
    .flatMap((text) => [...text.matchAll(/(?:^test|\))\(\s*"(\d+)\. /gm)])
    .map(([, number]) => Number(number));
  const points = Array.from({ length: POINTS }, (_, index) => index + 1);
  expect([...new Set(numbers)].toSorted((one, other) => one - other)).toEqual(points);
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
