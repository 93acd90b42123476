// The protocol's checklist: the handshake.
import { afterAll, expect, test } from "vitest";
import { ownChannel, ROOT } from "../support/ahp-client.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** The version that a host chooses of those offered. */
async function chosen(...protocolVersions: readonly string[]): Promise<string> {
  using client = await rig.connect();
  return (await client.initialize({ protocolVersions })).protocolVersion;
}

test("12. the version is one of those offered, as it was written", async () => {
  expect(await chosen("1.0.0", "0.9.0")).toBe("1.0.0");
  expect(await chosen("0.9.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1")).toBe("0.9.0");
  expect(await chosen("0.5.0", "0.4.0", "0.3.0")).toBe("0.5.0");
  expect(await chosen("0.5.0")).toBe("0.5.0");
  expect(await chosen("3.0.0", "not a version", "0.9.4")).toBe("0.9.4");
});

test("13. the highest acceptable version is chosen in any order", async () => {
  expect(await chosen("0.9.0", "1.0.0")).toBe("1.0.0");
  expect(await chosen("0.9.9", "0.9.10", "0.10.0", "2.0.0")).toBe("0.9.10");
  expect(await chosen("0.2.0", "0.8.1", "0.8.0")).toBe("0.8.1");
});

test("14. a later minor version is accepted, and another major one is not", async () => {
  expect(await chosen("1.7.3")).toBe("1.7.3");
  await expect(chosen("2.0.0")).rejects.toMatchObject({ code: -32005 });
});

test("15. no common version is answered with -32005 and what there is, then the connection is closed", async () => {
  using client = await rig.connect();
  const { error } = await client.ask("initialize", {
    clientId: client.clientId,
    protocolVersions: ["2.0.0", "0.1.0"],
  });
  expect(error).toMatchObject({
    code: -32005,
    data: { supportedVersions: expect.arrayContaining(["^1.0.0", "^0.9.0"]) },
  });
  expect(await client.untilClosed()).toMatchObject({ code: 1000 });
});

test("16. the result has a number and snapshots also where nothing was subscribed to", async () => {
  using client = await rig.connect();
  const { serverSeq, snapshots } = await client.initialize();
  expect(serverSeq).toBeGreaterThanOrEqual(1);
  expect(Number.isSafeInteger(serverSeq)).toBe(true);
  expect(snapshots).toEqual([]);
});

test("17. the root snapshot says that there are no agents", async () => {
  using client = await rig.connect();
  const { serverSeq, snapshots } = await client.initialize({ initialSubscriptions: [ROOT] });
  expect(snapshots).toMatchObject([{ resource: ROOT, state: { agents: [], terminals: [] } }]);
  expect(snapshots[0]?.fromSeq).toBeLessThanOrEqual(serverSeq);
});

test("18. `ahp-root:` is the root channel and answered as `ahp-root://`", async () => {
  using client = await rig.connect();
  const { snapshots } = await client.initialize({ initialSubscriptions: ["ahp-root:"] });
  expect(snapshots).toMatchObject([{ resource: ROOT, state: { agents: [] } }]);
  expect(await client.subscribe("ahp-root:")).toMatchObject({ resource: ROOT });
  const channel = await rig.run(client, "exec cat");
  const { action } = await client.untilAction(ROOT, "root/terminalsChanged");
  expect(action.terminals?.map(({ resource }) => resource)).toContain(channel);
  expect(client.envelopes.every((envelope) => envelope.channel === ROOT)).toBe(true);
});

test("19. terminals among the initial subscriptions have snapshots, and unknown ones are left out", async () => {
  using creator = await rig.client();
  const channel = await rig.run(creator, "echo words; exec cat");
  await creator.watch(channel);
  await creator.untilText(channel, "words\r\n");
  using client = await rig.connect();
  const unknown = ["ahp-session:/none", "nonsense", ""];
  const { snapshots } = await client.initialize({
    initialSubscriptions: [ownChannel(), channel, ...unknown, ROOT],
  });
  const resources = snapshots.map(({ resource }) => resource);
  expect(resources.toSorted((one, other) => one.localeCompare(other))).toEqual([ROOT, channel]);
  expect(client.text(channel)).toContain("words");
  creator.type(channel, "more\n");
  await client.untilText(channel, "more");
});

test("20. unknown params, `_meta`, capabilities and facts about the client are ignored", async () => {
  using client = await rig.connect();
  const { protocolVersion } = await client.initialize({
    clientInfo: { name: "a", version: "3", title: "A", unknown: {} },
    capabilities: { mcpApps: {}, unheardOf: { deep: [1] } },
    locale: "de-DE",
    _meta: { "com.example.key": true, more: { any: null } },
    unheardOf: [{}],
  });
  expect(protocolVersion).toBe("1.0.0");
  const channel = ownChannel();
  await client.createTerminal(channel, { unheardOf: 1, _meta: { "com.example.key": {} } });
  const snapshot = await client.subscribe(channel, { unheardOf: 1, _meta: {} });
  expect(snapshot).toMatchObject({ resource: channel });
});

test("21. nothing is advertised that a host of terminals does not have", async () => {
  using client = await rig.connect();
  const result = await client.initialize({ initialSubscriptions: [ROOT] });
  const allowed = ["protocolVersion", "serverSeq", "snapshots", "serverInfo", "defaultDirectory"];
  expect(Object.keys(result).filter((key) => ![...allowed, "_meta"].includes(key))).toEqual([]);
  expect(Object.values(result)).not.toContain(null);
  expect(result).toMatchObject({ serverInfo: { version: "0.1.0" } });
  expect(result).toMatchObject({ defaultDirectory: `file://${rig.userHome}` });
});

test("22. a second handshake on a connection is refused and changes nothing", async () => {
  using client = await rig.client({ versions: ["0.5.0"] });
  const second = { protocolVersions: ["1.0.0"], clientId: "somebody-else" };
  expect(await client.codeOf("initialize", second)).toBe(-32600);
  const resumed = { clientId: client.clientId, lastSeenServerSeq: 1, subscriptions: [] };
  expect(await client.codeOf("reconnect", resumed)).toBe(-32600);
  const channel = await rig.run(client, "exec cat");
  expect(await client.watch(channel)).not.toHaveProperty("lifecycle");
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
