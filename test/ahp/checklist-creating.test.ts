// The protocol's checklist: how terminals are created.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { ownChannel, ROOT } from "../support/ahp-client.ts";
import type { RootState } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

test("23. createTerminal is answered with null, and the root channel lists the terminal", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using watcher = await rig.client({ subscriptions: [ROOT] });
  const channel = ownChannel();
  expect(await client.createTerminal(channel)).toBeNull();
  const { state } = await client.subscribe(ROOT);
  expect((state as RootState).terminals?.map(({ resource }) => resource)).toContain(channel);
  const { action } = await watcher.untilAction(ROOT, "root/terminalsChanged");
  expect(action.terminals?.map(({ resource }) => resource)).toContain(channel);
});

test("24. a terminal's channel may have any scheme", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  for (const channel of [
    `agenthost-terminal:/${crypto.randomUUID()}`,
    "x-mine:abc",
    "vscode-terminal://a.host/some/path?query=1#part",
    "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
    `ahp-terminal:/${crypto.randomUUID()}`,
  ]) {
    await client.createTerminal(channel);
    const snapshot = await client.subscribe(channel);
    expect(snapshot.resource).toBe(channel);
    client.type(channel, "echo $((40+2))x\r");
    await client.untilText(channel, "42x");
    expect(await rig.infoOf(client, channel)).toMatchObject({ resource: channel });
    expect(await client.disposeTerminal(channel)).toBeNull();
    expect(await rig.infoOf(client, channel)).toBeUndefined();
  }
});

test("24. a channel of another kind is refused with -32602", async () => {
  using client = await rig.client();
  const claim = { kind: "client", clientId: client.clientId };
  for (const channel of [ROOT, "ahp-session:/s1", "ahp-chat:/c1", "no scheme", "", 7, null]) {
    expect(await client.codeOf("createTerminal", { channel, claim })).toBe(-32602);
  }
});

test.each(["ahp-terminal:/duplicate", "agenthost-terminal:/duplicate"])(
  "25. a second %s is refused with -32010 and leaves the first alone",
  async (channel) => {
    using client = await rig.client();
    using other = await rig.client();
    await client.createTerminal(channel, { name: "first" });
    await client.watch(channel);
    client.type(channel, "echo pid=$$,\r");
    await client.until(() => /pid=\d+,/.test(client.text(channel)), "the shell's number");
    const before = client.text(channel);
    const again = { channel, claim: { kind: "client", clientId: other.clientId }, name: "second" };
    expect(await other.codeOf("createTerminal", again)).toBe(-32010);
    const { fresh } = await client.compare(channel);
    expect(fresh).toMatchObject({ title: "first", claim: { clientId: client.clientId } });
    expect(client.text(channel)).toContain(before);
  },
);

test.each(["ahp-terminal:/raced", "agenthost-terminal:/raced"])(
  "25. of requests that race for %s exactly one succeeds",
  async (channel) => {
    const clients = await Promise.all([rig.client(), rig.client(), rig.client()]);
    using stack = new DisposableStack();
    for (const client of clients) stack.use(client);
    const codes = await Promise.all(
      [...clients, ...clients].map((client) =>
        client.codeOf("createTerminal", {
          channel,
          claim: { kind: "client", clientId: client.clientId },
        }),
      ),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === -32010)).toHaveLength(5);
    const { state } = (await clients[0]?.subscribe(ROOT)) ?? {};
    const all = (state as RootState).terminals ?? [];
    expect(all.filter(({ resource }) => resource === channel)).toHaveLength(1);
  },
);

test("26. a claim that is missing or malformed is refused with -32602, and nothing is created", async () => {
  using client = await rig.client();
  const channel = ownChannel();
  for (const claim of [
    undefined,
    null,
    {},
    "client",
    { kind: "nobody" },
    { kind: "client" },
    { kind: "client", clientId: "" },
    { kind: "client", clientId: 7 },
    { kind: "client", clientId: "somebody-else" },
    { kind: "session" },
    { kind: "session", session: 7, chat: "ahp-chat:/1" },
  ]) {
    expect(await client.codeOf("createTerminal", { channel, claim })).toBe(-32602);
  }
  expect(await rig.infoOf(client, channel)).toBeUndefined();
  expect(await client.createTerminal(channel)).toBeNull();
});

test("27. cols and rows that are no integers from 1 are refused with -32602", async () => {
  using client = await rig.client();
  const channel = ownChannel();
  const claim = { kind: "client", clientId: client.clientId };
  for (const side of [0, -1, 1.5, "80", null, 70_000, 1e300, true, [80]]) {
    const [cols, rows] = [
      { channel, claim, cols: side, rows: 24 },
      { channel, claim, cols: 80, rows: side },
    ];
    expect(await client.codeOf("createTerminal", cols)).toBe(-32602);
    expect(await client.codeOf("createTerminal", rows)).toBe(-32602);
  }
  expect(await rig.infoOf(client, channel)).toBeUndefined();
});

test("28. size, directory and name reach the program and the state", async () => {
  using client = await rig.client();
  const directory = join(rig.userHome, "a directory with ü and %");
  mkdirSync(directory);
  const cwd = pathToFileURL(directory).href;
  const channel = await rig.shell(client, { name: "build", cols: 101, rows: 33, cwd });
  expect(client.terminal(channel)).toMatchObject({ title: "build", cols: 101, rows: 33, cwd });
  client.type(channel, "stty size; pwd | tr a-z A-Z\r");
  await client.untilText(channel, "33 101\r\n");
  await client.untilText(channel, "/A DIRECTORY WITH ü AND %\r\n");
  expect(await rig.infoOf(client, channel)).toMatchObject({ title: "build" });
});

test("28. without them a terminal has 80×24, a title and a directory", async () => {
  using client = await rig.client();
  const channel = await rig.shell(client);
  const state = client.terminal(channel);
  expect(state).toMatchObject({ cols: 80, rows: 24, cwd: pathToFileURL(rig.userHome).href });
  expect(state.title).toMatch(/./);
  expect(state.isPty).toBe(true);
});

test("28. a directory that is not there, or is no `file:`, is refused", async () => {
  using client = await rig.client();
  const channel = ownChannel();
  const claim = { kind: "client", clientId: client.clientId };
  const missing = { channel, claim, cwd: "file:///no/such/directory" };
  expect([-32008, -32602]).toContain(await client.codeOf("createTerminal", missing));
  for (const cwd of ["https://example.com/", "/tmp", "", 7]) {
    expect(await client.codeOf("createTerminal", { channel, claim, cwd })).toBe(-32602);
  }
  expect(await rig.infoOf(client, channel)).toBeUndefined();
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
