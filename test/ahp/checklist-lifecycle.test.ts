// The protocol's checklist: the root channel and the life of terminals.
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import type { TerminalInfo } from "../support/ahp-mirror.ts";
import { isAlive } from "../support/is-alive.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** Resolves when the mirror of the root lists a terminal like this. */
const untilListed = (
  client: AhpClient,
  channel: string,
  isSo: (info: TerminalInfo) => boolean,
): Promise<void> =>
  client.until(
    () => client.root.terminals?.some((info) => info.resource === channel && isSo(info)) ?? false,
    `${channel} in the list so that ${isSo.toString()}`,
  );

const untilUnlisted = (client: AhpClient, channel: string): Promise<void> =>
  client.until(() => client.root.terminals?.every(({ resource }) => resource !== channel) ?? false);

test("29. the list of the root channel is always whole, and its entries have all they need", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const channels: string[] = [];
  for (let count = 1; count <= 3; count++) {
    channels.push(await rig.run(client, "exec cat", { name: `number ${count}` }));
    await untilListed(client, channels.at(-1) ?? "", () => true);
  }
  const lists = client
    .actionsOf(ROOT, "root/terminalsChanged")
    .map(({ terminals = [] }) => terminals.filter(({ resource }) => channels.includes(resource)));
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists) {
    const resources = list.map(({ resource }) => resource);
    expect(resources).toEqual(channels.slice(0, resources.length));
  }
  const claim = { kind: "client", clientId: client.clientId };
  expect(lists.at(-1)).toEqual(
    channels.map((resource, index) => ({
      resource,
      title: `number ${index + 1}`,
      claim,
      lifecycle: { status: "running" },
    })),
  );
  for (const channel of channels) await client.disposeTerminal(channel);
});

test("30. an exited terminal stays in the list and can be subscribed to until it is disposed", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.run(client, "echo last words; exit 3");
  await untilListed(client, channel, ({ lifecycle }) => lifecycle?.status === "exited");
  const lifecycle = { status: "exited", exitCode: 3 };
  using late = await rig.client();
  const state = await late.watch(channel);
  expect(state).toMatchObject({ lifecycle, cols: 80, rows: 24 });
  expect(late.text(channel)).toBe("last words\r\n");
  expect(await rig.infoOf(late, channel)).toMatchObject({ resource: channel, lifecycle });
  await client.disposeTerminal(channel);
  await untilUnlisted(client, channel);
  expect(await late.codeOf("subscribe", { channel })).toBe(-32008);
});

test("31. disposeTerminal ends the program, is answered with null, and takes the terminal from the list", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using other = await rig.client();
  // It takes no notice of who only asks it to end, and neither does what it started.
  const line = "trap '' HUP TERM; (trap '' HUP TERM; sleep 1000) & echo pids=$$,$!,; wait";
  const channel = await rig.run(client, line);
  await client.watch(channel);
  await client.until(() => /pids=\d+,\d+,/.test(client.text(channel)), "the numbers");
  const [, ...pids] = /pids=(\d+),(\d+),/.exec(client.text(channel)) ?? [];
  expect(pids.map((pid) => isAlive(Number(pid)))).toEqual([true, true]);
  expect(await other.disposeTerminal(channel)).toBeNull();
  expect(await rig.infoOf(other, channel)).toBeUndefined();
  await client.untilAction(channel, "terminal/exited");
  await untilUnlisted(client, channel);
  expect(pids.map((pid) => isAlive(Number(pid)))).toEqual([false, false]);
});

test("32. disposing of an unknown terminal is answered with null, of another channel refused", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  expect(await client.disposeTerminal(ownChannel())).toBeNull();
  expect(await client.disposeTerminal("agenthost-terminal:/never-was")).toBeNull();
  expect(await client.disposeTerminal(channel)).toBeNull();
  expect(await client.disposeTerminal(channel)).toBeNull();
  for (const other of [ROOT, "ahp-session:/s1", "ahp-chat:/c1", "", 7, null]) {
    expect(await client.codeOf("disposeTerminal", { channel: other })).toBe(-32602);
  }
  await expect(client.request("ping")).resolves.toBeNull();
});

test("33. a terminal runs on when its creator is gone", async () => {
  const creator = await rig.client();
  const channel = await rig.shell(creator);
  creator.type(channel, "echo pid=$$,\r");
  await creator.until(() => /pid=\d+,/.test(creator.text(channel)), "the shell's number");
  const [pid] = /pid=\d+,/.exec(creator.text(channel)) ?? [];
  await creator.drop();
  using client = await rig.client({ subscriptions: [ROOT, channel] });
  client.type(channel, "echo still pid=$$,\r");
  await client.untilText(channel, `still ${pid}`);
  expect(client.terminal(channel)).toMatchObject({
    lifecycle: { status: "running" },
    claim: { kind: "client", clientId: creator.clientId },
  });
});

test("34. the list follows titles, claims and ends", async () => {
  using client = await rig.client();
  using other = await rig.client();
  using watcher = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.run(client, "exec head -n 1");
  await untilListed(watcher, channel, ({ lifecycle }) => lifecycle?.status === "running");
  client.dispatch(channel, { type: "terminal/titleChanged", title: "renamed" });
  await untilListed(watcher, channel, ({ title }) => title === "renamed");
  const claim = { kind: "client", clientId: other.clientId };
  client.dispatch(channel, { type: "terminal/claimed", claim });
  await untilListed(watcher, channel, (info) => info.claim.clientId === other.clientId);
  client.type(channel, "end\r");
  await untilListed(watcher, channel, ({ lifecycle }) => lifecycle?.status === "exited");
  const { mirrored, fresh } = await watcher.compare(ROOT);
  expect(mirrored).toEqual(fresh);
});

test("a terminal whose recording was deleted leaves its address to another one at once", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const channel = ownChannel();
  const create = async (line: string): Promise<void> => {
    const extras = { command: "/bin/sh", args: ["-c", `${line}; exec cat`] };
    await client.createTerminal(channel, { _meta: { "dev.nacre": extras } });
    await client.watch(channel);
  };
  await create("echo first");
  await client.untilText(channel, "first\r\n");
  await client.request("x-nacre/deleteRecording", { channel });
  await create("echo second");
  await client.untilText(channel, "second\r\n");
  expect(client.text(channel)).toBe("second\r\n");
  expect(client.terminal(channel).lifecycle).toEqual({ status: "running" });
});

test("35. listSessions is answered with an empty list", async () => {
  using client = await rig.client();
  for (const params of [{}, { limit: 20, cursor: "x" }, { filter: {}, _meta: {} }]) {
    expect(await client.request("listSessions", params)).toEqual({ items: [] });
  }
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
