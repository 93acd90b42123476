// The protocol's checklist: subscriptions, and what is told to whom.
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import { textOf } from "../support/ahp-mirror.ts";
import { AhpRig, COUNTING, numbersIn } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const launchCounting = (client: AhpClient): Promise<string> =>
  rig.launch(client, { command: "/bin/bash", args: ["-c", COUNTING] });

test("36. a subscription is answered with a snapshot under the name asked for", async () => {
  using client = await rig.client();
  for (const channel of [ownChannel(), "agenthost-terminal:/asked-for", ROOT]) {
    if (channel !== ROOT) await client.createTerminal(channel);
    const result = await client.request("subscribe", { channel });
    expect(result).toEqual({
      snapshot: { resource: channel, state: expect.any(Object), fromSeq: expect.any(Number) },
    });
  }
  expect(await client.codeOf("subscribe", { channel: ownChannel() })).toBe(-32008);
  expect(await client.codeOf("subscribe", { channel: "ahp-terminal:not/an/id" })).toBe(-32008);
});

test("37. every action after the snapshot comes exactly once, in order", async () => {
  using creator = await rig.client();
  const channel = await launchCounting(creator);
  await creator.watch(channel);
  const clients: AhpClient[] = [];
  using stack = new DisposableStack();
  for (let count = 1; count <= 12; count++) {
    const client = stack.use(await rig.client());
    clients.push(client);
    const { fromSeq } = await client.subscribe(channel);
    client.handleEnvelope = ({ serverSeq }) => expect(serverSeq).toBeGreaterThan(fromSeq);
    await client.until(() => client.envelopes.length > count % 4, "some output");
    // Whoever asks again still gets everything once.
    if (count % 3 === 0) await Promise.all([client.watch(channel), client.watch(channel)]);
  }
  creator.type(channel, "\r");
  for (const client of [creator, ...clients]) {
    await client.untilText(channel, "the end");
    await client.untilAction(channel, "terminal/exited");
    const numbers = client.envelopes.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    const lines = numbersIn(client.text(channel));
    expect(lines).toEqual(lines.map((_, index) => index + 1));
    expect(client.text(channel)).toBe(creator.text(channel));
  }
});

test("38. nothing comes of channels that are not subscribed to, or are not any more", async () => {
  using client = await rig.client();
  using observer = await rig.client({ subscriptions: [ROOT] });
  const [one, two, three] = [
    await rig.run(client, "exec cat"),
    await rig.run(client, "exec cat"),
    await rig.run(client, "exec cat"),
  ];
  for (const channel of [one, two, three]) await observer.watch(channel);
  await client.watch(one);
  await client.watch(two);
  client.unsubscribe(two);
  client.unsubscribe(ownChannel());
  client.forget();
  for (const channel of [three, two, one]) {
    observer.type(channel, "words\r");
    await observer.untilText(channel, "words\r\nwords\r\n");
  }
  await client.untilText(one, "words\r\nwords\r\n");
  await client.request("ping");
  expect(new Set(client.envelopes.map(({ channel }) => channel))).toEqual(new Set([one]));
  await client.watch(two);
  observer.type(two, "again\r");
  await client.untilText(two, "again\r\nagain\r\n");
});

test("39. snapshot and later actions give what a fresh snapshot says, at every moment", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.shell(client);
  let count = 0;
  const check = async (): Promise<void> => {
    const { mirrored, fresh } = await client.compare(channel);
    expect(mirrored).toEqual(fresh);
    count += 1;
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => client.untilOwn(client.type(channel, "echo one; false\r")),
    () => client.untilText(channel, "one\r\n"),
    () => client.untilOwn(client.type(channel, "cd /tmp; printf 'ü\\033[1mbold\\033[m'\r")),
    () => client.untilAction(channel, "terminal/cwdChanged"),
    () => untilDone(client, channel, { type: "terminal/resized", cols: 91, rows: 29 }),
    () => untilDone(client, channel, { type: "terminal/titleChanged", title: "new" }),
    () => untilDone(client, channel, { type: "terminal/claimed", claim: claimOf(other) }),
    () => client.untilOwn(client.type(channel, "sh -c 'echo up; exec sleep 1000'; echo never\r")),
    () => client.untilEnvelope(({ action }) => action.commandLine?.includes("sleep") ?? false),
    // Only a program that runs can be interrupted.
    () => client.untilText(channel, "up\r\n"),
    () => untilDone(client, channel, { type: "terminal/cleared" }),
    () => client.untilOwn(client.type(channel, "\u0003")),
    () => client.untilText(channel, "^C"),
    () => client.untilOwn(client.type(channel, "exit 5\r")),
    () => client.untilAction(channel, "terminal/exited"),
  ];
  for (const step of steps) {
    await step();
    await check();
    await check();
  }
  expect(count).toBe(steps.length * 2);
  expect(client.terminal(channel)).toMatchObject({
    title: "new",
    cols: 91,
    rows: 29,
    cwd: "file:///tmp",
    claim: claimOf(other),
    lifecycle: { status: "exited", exitCode: 5 },
  });
});

test("39. a snapshot taken amid output is followed by exactly the rest", async () => {
  using client = await rig.client();
  const channel = await launchCounting(client);
  await client.watch(channel);
  for (let time = 0; time < 15; time++) {
    const { mirrored, fresh } = await client.compare(channel);
    expect(textOf(mirrored.content)).toBe(textOf(fresh.content));
  }
  client.type(channel, "\r");
  await client.untilAction(channel, "terminal/exited");
  const lines = numbersIn(client.text(channel));
  expect(lines).toEqual(lines.map((_, index) => index + 1));
});

test("40. one number grows over all channels, and is the same for everybody", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using other = await rig.client({ subscriptions: [ROOT] });
  const one = await rig.run(client, "exec cat");
  const two = await rig.run(client, "exec cat");
  for (const each of [client, other]) {
    await each.watch(one);
    await each.watch(two);
  }
  for (let time = 0; time < 5; time++) {
    await client.untilOwn(client.type(one, `a${time}\r`));
    const action = { type: "terminal/titleChanged", title: `t${time}` };
    await other.untilOwn(other.dispatch(two, action));
  }
  await client.until(() => client.terminal(two).title === "t4");
  for (const each of [client, other]) {
    await each.until(() => each.text(one).split("a4\r\n").length === 3, "a4 twice");
  }
  const seen = client.envelopes.map(({ serverSeq }) => serverSeq);
  expect(seen).toEqual([...new Set(seen)].toSorted((first, second) => first - second));
  const own = new Map(client.envelopes.map((envelope) => [envelope.serverSeq, envelope]));
  const shared = other.envelopes.filter(({ serverSeq }) => own.has(serverSeq));
  expect(shared.length).toBeGreaterThan(10);
  for (const envelope of shared) expect(envelope).toEqual(own.get(envelope.serverSeq));
});

test("41. echoes name who dispatched them, and what the host says names nobody", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "echo ready; exec head -n 1");
  await other.watch(channel);
  await client.watch(channel);
  const clientSeq = client.dispatch(channel, { type: "terminal/input", data: "words\r" }, 77);
  const echo = await other.untilEnvelope(({ action }) => action.type === "terminal/input");
  expect(echo).toEqual({
    channel,
    action: { type: "terminal/input", data: "words\r" },
    serverSeq: expect.any(Number),
    origin: { clientId: client.clientId, clientSeq },
  });
  await other.untilAction(channel, "terminal/exited");
  const said = other.envelopes.filter(({ action }) =>
    ["terminal/data", "terminal/exited"].includes(action.type),
  );
  expect(said.length).toBeGreaterThan(1);
  for (const envelope of said) {
    expect(Object.keys(envelope).toSorted((one, two) => one.localeCompare(two))).toEqual([
      "action",
      "channel",
      "serverSeq",
    ]);
  }
});

test("42. an accepted action is echoed exactly once to every subscriber, its author too", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  await other.watch(channel);
  const actions = [
    { type: "terminal/input", data: "words\r" },
    { type: "terminal/resized", cols: 100, rows: 30 },
    { type: "terminal/resized", cols: 100, rows: 30 },
    { type: "terminal/titleChanged", title: "a title" },
    { type: "terminal/titleChanged", title: "a title" },
    { type: "terminal/cleared" },
    { type: "terminal/claimed", claim: claimOf(client) },
    { type: "terminal/claimed", claim: claimOf(other) },
  ];
  for (const action of actions) {
    const clientSeq = client.dispatch(channel, action);
    const own = await client.untilOwn(clientSeq);
    expect(own).toMatchObject({ channel, action });
    expect(own.rejectionReason).toBeUndefined();
    const isSame = ({ serverSeq }: { readonly serverSeq: number }) => serverSeq === own.serverSeq;
    expect(await other.untilEnvelope(isSame)).toEqual(own);
  }
  await client.request("ping");
  const echoes = client.envelopes.filter(({ origin }) => origin !== undefined);
  expect(echoes).toHaveLength(actions.length);
  expect(client.actionsOf(channel, "terminal/claimed")).toHaveLength(2);
  expect(client.actionsOf(channel, "terminal/cleared")).toHaveLength(1);
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});

const claimOf = ({ clientId }: AhpClient) => ({ kind: "client", clientId });

/** Dispatches an action and resolves when it was accepted. */
async function untilDone(client: AhpClient, channel: string, action: object): Promise<void> {
  const { rejectionReason } = await client.untilOwn(client.dispatch(channel, action));
  expect(rejectionReason).toBeUndefined();
}
