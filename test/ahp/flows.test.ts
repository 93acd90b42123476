// The flows that the protocol's guide tells of, each from its beginning to its end: two people's clients and an agent's session.
import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import type { Part, WireClaim } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const SESSION = "ahp-session:/review";

let rig: AhpRig;
let alice: AhpClient;
let bob: AhpClient;
/** Speaks for the session from its first terminal on. */
let agent: AhpClient;

beforeAll(async () => {
  rig = await AhpRig.open();
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(async () => {
  const subscriptions = [ROOT];
  alice = await rig.client({ subscriptions });
  bob = await rig.client({ subscriptions, versions: ["0.5.0"] });
  agent = await rig.client({ subscriptions });
});
afterEach(() => {
  for (const client of [alice, bob, agent]) client[Symbol.dispose]();
});

/** The claim of the session, in a turn or in the background. */
const sessionClaim = (turn?: number): WireClaim => ({
  kind: "session",
  session: SESSION,
  chat: SESSION,
  ...(turn === undefined ? {} : { turnId: `turn-${turn}`, toolCallId: `call-${turn}` }),
});

/** The same claim as versions before 0.9 know it. */
function withoutChat({ chat: _chat, ...claim }: WireClaim): WireClaim {
  return claim;
}

const everybody = (): readonly AhpClient[] => [alice, bob, agent];

const infoIn = (client: AhpClient, channel: string) =>
  client.root.terminals?.find(({ resource }) => resource === channel);

/** Resolves when everybody's list and mirror has this claim. */
async function untilClaimed(channel: string, claim: WireClaim): Promise<void> {
  await Promise.all(
    everybody().map((client) => {
      const wanted = client === bob ? withoutChat(claim) : claim;
      const isSo = (): boolean =>
        isDeepStrictEqual(infoIn(client, channel)?.claim, wanted) &&
        isDeepStrictEqual(client.terminal(channel).claim, wanted);
      return client.until(isSo, `${JSON.stringify(wanted)} on ${channel}`);
    }),
  );
}

/** Creates a terminal for the session in its first turn; everybody watches, and the shell waits for a command. */
async function createForSession(): Promise<string> {
  const channel = await rig.shell(agent, { claim: sessionClaim(1), name: "agent" });
  await Promise.all([alice, bob].map((client) => client.watch(channel)));
  await untilClaimed(channel, sessionClaim(1));
  return channel;
}

/** The command with this line, as a client's mirror has it. */
const commandIn = (client: AhpClient, channel: string, commandLine: string): Part | undefined =>
  client.terminal(channel).content.find((part) => part.commandLine === commandLine);

/** Types a command line and resolves with the command once it has ended. */
async function run(client: AhpClient, channel: string, commandLine: string): Promise<Part> {
  client.type(channel, `${commandLine}\r`);
  const find = (): Part | undefined => commandIn(client, channel, commandLine);
  await client.until(() => find()?.isComplete === true, `the end of ${commandLine}`);
  return find() as Part;
}

test("an agent runs a command: it creates a terminal, reads output and exit code, and disposes of it", async () => {
  const channel = await createForSession();
  expect(infoIn(alice, channel)).toMatchObject({
    title: "agent",
    lifecycle: { status: "running" },
  });
  const good = await run(agent, channel, "echo built && pwd");
  expect(good).toMatchObject({ exitCode: 0, output: `built\r\n${rig.userHome}\r\n` });
  const bad = await run(agent, channel, "(exit 3)");
  expect(bad).toMatchObject({ exitCode: 3, output: "" });
  await bob.until(() => commandIn(bob, channel, "(exit 3)")?.isComplete === true);
  expect(commandIn(bob, channel, "echo built && pwd")).toEqual(good);
  expect(await agent.disposeTerminal(channel)).toBeNull();
  await Promise.all(
    everybody().map((client) => client.until(() => infoIn(client, channel) === undefined)),
  );
});

/** A server that answers lines. */
const SERVER = `bash -c 'echo listening; while read -r line; do echo "served $line"; done'`;

/** Starts the server in a terminal of the session. */
async function startServer(): Promise<string> {
  const channel = await createForSession();
  agent.type(channel, `${SERVER}\r`);
  await Promise.all(everybody().map((client) => client.untilText(channel, "listening\r\n")));
  return channel;
}

test("an agent starts a server and narrows its claim: the server runs on in the background", async () => {
  const channel = await startServer();
  const clientSeq = agent.dispatch(channel, { type: "terminal/claimed", claim: sessionClaim() });
  const { rejectionReason } = await agent.untilOwn(clientSeq);
  expect(rejectionReason).toBeUndefined();
  await untilClaimed(channel, sessionClaim());
  expect(commandIn(alice, channel, SERVER)?.isComplete).toBe(false);
  // It outlives the connection of the agent, and is found by whoever comes later.
  await agent.drop();
  using late = await rig.client({ subscriptions: [ROOT, channel] });
  expect(infoIn(late, channel)?.claim).toEqual(sessionClaim());
  expect(commandIn(late, channel, SERVER)).toEqual(commandIn(alice, channel, SERVER));
  late.type(channel, "a request\r");
  await alice.untilText(channel, "served a request");
});

test("a client detaches a terminal: the agent moves on, the program stays", async () => {
  const channel = await startServer();
  const clientSeq = bob.dispatch(channel, {
    type: "terminal/claimed",
    claim: withoutChat(sessionClaim()),
  });
  const { rejectionReason } = await bob.untilOwn(clientSeq);
  expect(rejectionReason).toBeUndefined();
  const { origin } = await agent.untilAction(channel, "terminal/claimed");
  expect(origin).toEqual({ clientId: bob.clientId, clientSeq });
  await agent.until(() => infoIn(agent, channel)?.claim.turnId === undefined);
  expect(agent.terminal(channel).claim).toMatchObject({ kind: "session", session: SESSION });
  expect(agent.terminal(channel).claim).not.toHaveProperty("toolCallId");
  expect(commandIn(agent, channel, SERVER)?.isComplete).toBe(false);
});

test("a client interacts directly: its own terminal, typed into, resized, renamed and ended", async () => {
  const channel = await rig.shell(alice, { name: "mine", cols: 90, rows: 25 });
  await bob.watch(channel);
  expect(bob.terminal(channel)).toMatchObject({
    title: "mine",
    cols: 90,
    rows: 25,
    claim: { kind: "client", clientId: alice.clientId },
  });
  alice.dispatch(channel, { type: "terminal/resized", cols: 100, rows: 30 });
  const { output } = await run(alice, channel, "stty size");
  expect(output).toBe("30 100\r\n");
  await run(alice, channel, "cd /tmp");
  alice.dispatch(channel, { type: "terminal/titleChanged", title: "play" });
  await bob.until(() => bob.terminal(channel).cwd === "file:///tmp");
  await bob.until(() => infoIn(bob, channel)?.title === "play");
  expect(bob.terminal(channel)).toMatchObject({ title: "play", cols: 100, rows: 30 });
  alice.type(channel, "exit 4\r");
  await bob.until(() => infoIn(bob, channel)?.exitCode === 4);
  await alice.until(() => infoIn(alice, channel)?.lifecycle?.status === "exited");
  expect(alice.terminal(channel).lifecycle).toEqual({ status: "exited", exitCode: 4 });
  expect(bob.terminal(channel).exitCode).toBe(4);
});

test("a session reclaims a background terminal, and nobody else can in its name", async () => {
  const channel = await startServer();
  agent.dispatch(channel, { type: "terminal/claimed", claim: sessionClaim() });
  await untilClaimed(channel, sessionClaim());
  const stolen = alice.dispatch(channel, { type: "terminal/claimed", claim: sessionClaim(9) });
  expect((await alice.untilOwn(stolen)).rejectionReason).toEqual(expect.any(String));
  agent.dispatch(channel, { type: "terminal/claimed", claim: sessionClaim(2) });
  await untilClaimed(channel, sessionClaim(2));
  agent.type(channel, "again\r");
  await bob.untilText(channel, "served again");
  // It restarts what ran there.
  agent.type(channel, "\u0003");
  await agent.until(() => commandIn(agent, channel, SERVER)?.isComplete === true);
  agent.type(channel, `${SERVER}\r`);
  const isRestarted = (): boolean =>
    alice.terminal(channel).content.filter(({ commandLine }) => commandLine === SERVER).length ===
    2;
  await alice.until(isRestarted);
  agent.dispatch(channel, { type: "terminal/claimed", claim: sessionClaim() });
  await untilClaimed(channel, sessionClaim());
});

test("clean-up: who looks on may dispose of a terminal that still runs, and it is gone for all", async () => {
  const channel = await startServer();
  expect(await bob.disposeTerminal(channel)).toBeNull();
  for (const client of [alice, agent]) {
    await client.untilAction(channel, "terminal/exited");
    await client.until(() => infoIn(client, channel) === undefined);
  }
  expect(await bob.disposeTerminal(channel)).toBeNull();
  expect(await bob.codeOf("subscribe", { channel })).toBe(-32008);
  await alice.drop();
  using again = await rig.again(alice);
  const { type, missing } = await again.reconnect({ subscriptions: [ROOT, channel] });
  expect({ type, missing }).toEqual({ type: "replay", missing: [channel] });
});

test("several clients: of two who claim a terminal at once one gets it, and all agree who", async () => {
  const channel = await createForSession();
  // A second connection that speaks for the same session.
  using helper = await rig.client();
  await helper.createTerminal(ownChannel(), { claim: sessionClaim() });
  await helper.watch(channel);
  const claimed = [agent, helper].map((client) => {
    const claim = { kind: "client", clientId: client.clientId };
    return client.dispatch(channel, { type: "terminal/claimed", claim });
  });
  const [byAgent = 0, byHelper = 0] = claimed;
  const answers = [await agent.untilOwn(byAgent), await helper.untilOwn(byHelper)];
  const accepted = answers.filter(({ rejectionReason }) => rejectionReason === undefined);
  expect(accepted.map(({ action }) => action.claim?.kind)).toEqual(["client"]);
  const claim = accepted[0]?.action.claim ?? { kind: "none" };
  await untilClaimed(channel, claim);
  const { mirrored, fresh } = await helper.compare(channel);
  expect(mirrored).toEqual(fresh);
  expect(fresh.claim).toEqual(claim);
});

test("nothing of all that failed inside the host", () => {
  expect(rig.failures).toEqual([]);
});
