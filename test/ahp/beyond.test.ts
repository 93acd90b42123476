// What the protocol leaves open: who may do what, terminals of other wires, names of different ages, and messages that are none.
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import type { Envelope, RootState } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** Makes a token through the protocol itself. */
async function tokenOf(client: AhpClient, name: string, scope: string): Promise<string> {
  const input = { name, scope };
  const created = await client.request("x-nacre/createToken", { input });
  return (created as { readonly token: string }).token;
}

const listedBy = async (client: AhpClient): Promise<readonly string[]> => {
  const { state } = await client.subscribe(ROOT);
  return (state as RootState).terminals?.map(({ resource }) => resource) ?? [];
};

const isRejection = ({ rejectionReason }: Envelope): boolean => rejectionReason !== undefined;

test("who may only look sees everything and changes nothing", async () => {
  using operator = await rig.client();
  const token = await tokenOf(operator, "a-reader", "readOnly");
  using reader = await rig.client({ token });
  const channel = await rig.run(operator, "echo words; exec cat");
  await reader.watch(channel);
  await reader.untilText(channel, "words\r\n");
  const before = reader.terminal(channel);
  const claim = { kind: "client", clientId: reader.clientId };
  expect(await reader.codeOf("createTerminal", { channel: ownChannel(), claim })).toBe(-32009);
  expect(await reader.codeOf("disposeTerminal", { channel })).toBe(-32009);
  for (const action of [
    { type: "terminal/input", data: "x" },
    { type: "terminal/resized", cols: 10, rows: 10 },
    { type: "terminal/titleChanged", title: "x" },
    { type: "terminal/claimed", claim },
    { type: "terminal/cleared" },
  ]) {
    expect(isRejection(await reader.untilOwn(reader.dispatch(channel, action)))).toBe(true);
  }
  expect((await reader.compare(channel)).fresh).toEqual(before);
});

test("an agent sees its own terminals and hears nothing of others", async () => {
  using operator = await rig.client();
  const token = await tokenOf(operator, "an-agent", "agent");
  using agent = await rig.client({ token, subscriptions: [ROOT] });
  const foreign = await rig.run(operator, "exec cat");
  const own = await rig.run(agent, "exec cat");
  expect(await listedBy(agent)).toEqual([own]);
  expect(await listedBy(operator)).toEqual(expect.arrayContaining([foreign, own]));
  expect(await agent.codeOf("subscribe", { channel: foreign })).toBe(-32008);
  const input = { type: "terminal/input", data: "x\r" };
  expect(isRejection(await agent.untilOwn(agent.dispatch(foreign, input)))).toBe(true);
  operator.dispatch(foreign, { type: "terminal/titleChanged", title: "a secret" });
  await operator.watch(foreign);
  await operator.until(() => operator.terminal(foreign).title === "a secret");
  await agent.disposeTerminal(foreign);
  await agent.disposeTerminal(own);
  await agent.until(() => agent.root.terminals?.length === 0);
  expect(JSON.stringify(agent.frames)).not.toContain("a secret");
  expect(await listedBy(operator)).toContain(foreign);
});

test("nobody takes the place of another credential's client", async () => {
  using operator = await rig.client({ clientId: "same-name" });
  const token = await tokenOf(operator, "another-agent", "agent");
  using agent = await rig.connect({ token, clientId: "same-name" });
  const params = { lastSeenServerSeq: 1, subscriptions: [ROOT] };
  await expect(agent.reconnect(params)).rejects.toMatchObject({ code: -32008 });
  await agent.initialize();
  const channel = await rig.run(agent, "exec cat");
  expect(await rig.infoOf(agent, channel)).toMatchObject({ claim: { clientId: "same-name" } });
  const seen = await rig.infoOf(operator, channel);
  expect(seen?.claim).not.toEqual({ kind: "client", clientId: "same-name" });
});

test("nobody speaks for a session of another credential's clients", async () => {
  using operator = await rig.client();
  const owner = { entityName: "Project", entityId: "shared" };
  const [one, two] = await Promise.all(
    ["first-agent", "second-agent"].map(async (name) => {
      const created = await operator.request("x-nacre/createToken", {
        input: { name, scope: "agent", owner },
      });
      return await rig.client({ token: (created as { readonly token: string }).token });
    }),
  );
  using first = one as AhpClient;
  using second = two as AhpClient;
  const claim = { kind: "session", session: "ahp-session:/first", chat: "ahp-chat:/first" };
  const launch = { command: "/bin/cat", inputPolicy: "holder" };
  const channel = await rig.launch(first, launch, { claim });
  await rig.launch(second, launch, { claim });
  await second.watch(channel);
  const own = { kind: "client", clientId: second.clientId };
  for (const action of [
    { type: "terminal/input", data: "x" },
    { type: "terminal/claimed", claim: own },
  ]) {
    expect(isRejection(await second.untilOwn(second.dispatch(channel, action)))).toBe(true);
  }
  expect(second.terminal(channel).claim).toEqual(claim);
});

test("an address is said in one place only, where it is looked at whether it is free", async () => {
  using client = await rig.client();
  const channel = "vscode-terminal:/taken";
  await client.createTerminal(channel, { _meta: { "dev.nacre": { command: "/bin/cat" } } });
  const attributes = { ahpChannel: channel };
  const owner = { entityName: "System", entityId: "local", attributes };
  const claim = { kind: "client", clientId: client.clientId };
  const _meta = { "dev.nacre": { command: "/bin/cat", owner } };
  const before = await listedBy(client);
  const params = { channel: ownChannel(), claim, _meta };
  expect(await client.codeOf("createTerminal", params)).toBe(-32602);
  const input = { command: "/bin/cat", owner };
  expect(await client.codeOf("x-nacre/createTerminal", { input })).toBe(-32602);
  expect(await listedBy(client)).toEqual(before);
});

test("a terminal of another wire has a channel like any other", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  const response = await fetch(`http://127.0.0.1:${rig.port}/api/terminals`, {
    method: "POST",
    headers: { authorization: `Bearer ${rig.token}`, "content-type": "application/json" },
    body: JSON.stringify({ workingDirectory: "/tmp", command: "/bin/cat" }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  const channel = `ahp-terminal:/${id.slice("terminal:".length)}`;
  await client.until(
    () => client.root.terminals?.some(({ resource }) => resource === channel) ?? false,
  );
  const read = (): Promise<unknown> => client.request("x-nacre/readTerminal", { channel });
  expect(await read()).toMatchObject({ viewers: 0 });
  await client.watch(channel);
  expect(await read()).toMatchObject({ viewers: 1 });
  client.type(channel, "words\r");
  await client.untilText(channel, "words\r\nwords\r\n");
  expect(await client.disposeTerminal(channel)).toBeNull();
});

test("a terminal with an address of its own is also found by its id, and answers to the name asked for", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = "vscode-terminal:/by-two-names";
  await client.createTerminal(channel, { _meta: { "dev.nacre": { command: "/bin/cat" } } });
  const { id } = (await client.request("x-nacre/readTerminal", { channel })) as { id: string };
  const alias = `ahp-terminal:/${id.slice("terminal:".length)}`;
  await client.watch(channel);
  await other.watch(alias);
  other.type(alias, "words\r");
  await other.untilText(alias, "words\r\nwords\r\n");
  await client.untilText(channel, "words\r\nwords\r\n");
  expect(new Set(other.envelopes.map((envelope) => envelope.channel))).toEqual(new Set([alias]));
  expect(new Set(client.envelopes.map((envelope) => envelope.channel))).toEqual(new Set([channel]));
  await other.drop();
  client.type(channel, "more\r");
  await client.untilText(channel, "more\r\nmore\r\n");
  using again = await rig.again(other);
  const answer = await again.reconnect({ subscriptions: [alias] });
  expect(answer).toMatchObject({ type: "replay", missing: [] });
  expect(new Set(answer.actions?.map((envelope) => envelope.channel))).toEqual(new Set([alias]));
  expect(again.text(alias)).toBe(client.text(channel));
});

test("an action may name its terminal as it did of old, but no other", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  const action = { type: "terminal/titleChanged", title: "new" };
  const right = client.dispatch(channel, { ...action, terminal: channel });
  expect(isRejection(await client.untilOwn(right))).toBe(false);
  const wrong = client.dispatch(channel, { ...action, terminal: ownChannel() });
  expect(isRejection(await client.untilOwn(wrong))).toBe(true);
  expect(client.terminal(channel).title).toBe("new");
});

test("a secret that is typed where nothing is echoed reaches no other client", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "stty -echo; printf 'Password: '; read x; echo ${#x}");
  await other.watch(channel);
  await client.watch(channel);
  await client.untilText(channel, "Password: ");
  const clientSeq = client.type(channel, "swordfish\r");
  expect(await client.untilOwn(clientSeq)).toMatchObject({ action: { type: "terminal/input" } });
  await other.untilText(channel, "9\r\n");
  for (const each of [client, other])
    expect(JSON.stringify(each.frames)).not.toContain("swordfish");
});

test("what is no message of the protocol is answered and forgotten", async () => {
  using client = await rig.client();
  const answers = (): unknown[] => client.frames.map(({ message }) => message.error?.code);
  client.forget();
  client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'), { binary: true });
  for (const text of ["[]", "7", "null", '{"jsonrpc":"2.0"}', '[{"jsonrpc":"2.0","id":1}]']) {
    client.sendText(text);
  }
  await client.until(() => client.frames.length === 6, "six answers");
  expect(answers()).toEqual(Array.from({ length: 6 }, () => -32600));
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  client.forget();
  client.sendText(`{"jsonrpc":"2.0","id":9,"method":"ping","params":${deep}}`);
  await client.until(() => client.frames.length === 1, "an answer to what is too deep");
  expect(client.frames[0]?.message.error?.code).toBeLessThan(0);
  await expect(client.request("ping")).resolves.toBeNull();
  client.sendText(`"${"x".repeat(3 * 1024 * 1024)}"`);
  expect(await client.untilClosed()).toMatchObject({ code: 1009 });
});

test("a client that does not wait for answers is understood in its order", async () => {
  using client = await rig.connect();
  const channel = ownChannel();
  const asked = [
    client.initialize({ initialSubscriptions: [ROOT] }),
    client.createTerminal(channel, { _meta: { "dev.nacre": { command: "/bin/cat" } } }),
    client.subscribe(channel),
  ];
  client.type(channel, "words\r");
  client.dispatch(channel, { type: "terminal/resized", cols: 99, rows: 33 });
  await Promise.all(asked);
  await client.untilText(channel, "words\r\nwords\r\n");
  await client.until(() => client.terminal(channel).cols === 99, "the new size");
  client.type(channel, "last\r");
  expect(await client.disposeTerminal(channel)).toBeNull();
  expect(client.envelopes.filter(isRejection)).toEqual([]);
});

test("who follows a terminal before it types hears of what it typed", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  const following = client.subscribe(channel);
  const clientSeq = client.type(channel, "words\r");
  await following;
  expect(await client.untilOwn(clientSeq)).toMatchObject({ action: { data: "words\r" } });
});

test("of many sizes only the last one has to be waited for", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  const sizes = Array.from({ length: 100 }, (_, index) => 30 + index);
  const asked = sizes.map((cols) =>
    client.dispatch(channel, { type: "terminal/resized", cols, rows: 20 }),
  );
  client.type(channel, "words\r");
  await client.untilText(channel, "words\r\nwords\r\n");
  expect(client.terminal(channel)).toMatchObject({ cols: 129, rows: 20 });
  const answers = await Promise.all(asked.map((clientSeq) => client.untilOwn(clientSeq)));
  expect(isRejection(answers.at(-1) as Envelope)).toBe(false);
  expect(answers.filter(isRejection).length).toBeGreaterThan(90);
  expect((await client.compare(channel)).fresh).toMatchObject({ cols: 129, rows: 20 });
});

test("an address is free again when its terminal is disposed of", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  for (const channel of ["ahp-terminal:/again", "vscode-terminal:/again"]) {
    for (const words of ["first", "second", "third"]) {
      const args = ["-c", `echo ${words}; exec cat`];
      await client.createTerminal(channel, {
        _meta: { "dev.nacre": { command: "/bin/sh", args } },
      });
      expect(await listedBy(client)).toContain(channel);
      await client.watch(channel);
      await client.untilText(channel, words);
      const claim = { kind: "client", clientId: client.clientId };
      expect(await client.codeOf("createTerminal", { channel, claim })).toBe(-32010);
      await client.disposeTerminal(channel);
      expect(await listedBy(client)).not.toContain(channel);
    }
  }
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
