// The protocol's checklist: what clients may not do, and who is told so.
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import { type Envelope, reduceTerminal, type TerminalState } from "../support/ahp-mirror.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

const claimOf = ({ clientId }: AhpClient) => ({ kind: "client", clientId });

const isRejection = ({ rejectionReason }: Envelope): boolean => rejectionReason !== undefined;

/** What a client that looks at no rejection makes of a state and all it was told. */
const applied = (state: TerminalState, envelopes: readonly Envelope[]): TerminalState =>
  envelopes.reduce((before, { action }) => reduceTerminal(before, action), state);

test("43. what only a host can say is rejected and changes nothing", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "echo words; exec cat");
  await client.watch(channel);
  await client.untilText(channel, "words\r\n");
  await other.watch(channel);
  const { fresh: before } = await other.compare(channel);
  const actions = [
    { type: "terminal/data", data: "forged" },
    { type: "terminal/exited", exitCode: 0 },
    { type: "terminal/cwdChanged", cwd: "file:///forged" },
    { type: "terminal/commandDetectionAvailable" },
    { type: "terminal/commandExecuted", commandId: "c", commandLine: "forged", timestamp: 1 },
    { type: "terminal/commandFinished", commandId: "c", exitCode: 0 },
    { type: "terminal/unheardOf" },
    { type: "terminal/input" },
    { type: "terminal/input", data: 7 },
  ];
  for (const action of actions) {
    const clientSeq = client.dispatch(channel, action);
    const { rejectionReason, ...own } = await client.untilOwn(clientSeq);
    expect(rejectionReason).toMatch(/./);
    expect(own).toMatchObject({ channel, action });
  }
  const { mirrored, fresh } = await other.compare(channel);
  expect(fresh).toEqual(before);
  expect(mirrored).toEqual(before);
  expect(other.envelopes).toEqual([]);
});

test("44. a rejection that changes a field is followed by the true value, for its author alone", async () => {
  using client = await rig.client();
  using author = await rig.client();
  using other = await rig.client();
  const params = { name: "mine", cwd: "file:///tmp", cols: 90, rows: 30 };
  const channel = await rig.run(client, "exec cat", params);
  await other.watch(channel);
  const state = await author.watch(channel);
  const actions = [
    { type: "terminal/claimed", claim: claimOf(author) },
    { type: "terminal/resized", cols: 0, rows: 7 },
    { type: "terminal/resized", cols: 1.5, rows: 7 },
    { type: "terminal/titleChanged", title: 7 },
    { type: "terminal/cwdChanged", cwd: "file:///forged" },
  ];
  for (const action of actions) {
    const own = await author.untilOwn(author.dispatch(channel, action));
    expect(own).toMatchObject({ rejectionReason: expect.stringMatching(/./) });
    const truth = await author.untilEnvelope(
      (envelope) => envelope.serverSeq > own.serverSeq && envelope.action.type === action.type,
    );
    expect(truth.origin).toBeUndefined();
    expect(isRejection(truth)).toBe(false);
  }
  await author.request("ping");
  expect(applied(state, author.envelopes)).toEqual(state);
  const { fresh } = await other.compare(channel);
  expect(fresh).toEqual(state);
  expect(other.envelopes).toEqual([]);
});

test("45. an exited terminal takes neither input nor sizes", async () => {
  using client = await rig.client();
  const channel = await rig.run(client, "exit 0");
  const state = await client.watch(channel);
  await client.until(() => client.terminal(channel).lifecycle?.status === "exited");
  for (const action of [
    { type: "terminal/input", data: "words\r" },
    { type: "terminal/resized", cols: 100, rows: 40 },
  ]) {
    const own = await client.untilOwn(client.dispatch(channel, action));
    expect(isRejection(own)).toBe(true);
  }
  const { fresh } = await client.compare(channel);
  expect([fresh.cols, fresh.rows]).toEqual([state.cols, state.rows]);
});

test("45. what is dispatched to an unknown channel is rejected", async () => {
  using client = await rig.client();
  for (const channel of [ownChannel(), "agenthost-terminal:/never-was", "ahp-session:/s1"]) {
    const action = { type: "terminal/input", data: "words\r" };
    const own = await client.untilOwn(client.dispatch(channel, action));
    expect(own).toMatchObject({ channel, action, rejectionReason: expect.stringMatching(/./) });
  }
  await expect(client.request("ping")).resolves.toBeNull();
});

test("45. a rejection reaches who is not subscribed", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "exec cat");
  const own = await other.untilOwn(
    other.dispatch(channel, { type: "terminal/claimed", claim: claimOf(other) }),
  );
  expect(isRejection(own)).toBe(true);
});

test("48. only the holder hands a claim on", async () => {
  using client = await rig.client({ subscriptions: [ROOT] });
  using other = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  await other.watch(channel);
  const ownClaim = { type: "terminal/claimed", claim: claimOf(other) };
  expect(isRejection(await other.untilOwn(other.dispatch(channel, ownClaim)))).toBe(true);
  expect(client.terminal(channel).claim).toEqual(claimOf(client));
  expect(isRejection(await client.untilOwn(client.dispatch(channel, ownClaim)))).toBe(false);
  await other.until(() => other.terminal(channel).claim.clientId === other.clientId);
  const back = { type: "terminal/claimed", claim: claimOf(client) };
  expect(isRejection(await client.untilOwn(client.dispatch(channel, back)))).toBe(true);
  expect(isRejection(await other.untilOwn(other.dispatch(channel, back)))).toBe(false);
  await client.until(() => client.terminal(channel).claim.clientId === client.clientId);
  for (const claim of [null, {}, { kind: "client" }, { kind: "session" }]) {
    const action = { type: "terminal/claimed", claim };
    expect(isRejection(await client.untilOwn(client.dispatch(channel, action)))).toBe(true);
  }
});

test("48. a terminal is handed to a session and back by the client that speaks for it", async () => {
  using client = await rig.client();
  using other = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  const whole = { kind: "session", session: "ahp-session:/s1", chat: "ahp-chat:/c1" };
  const call = { ...whole, turnId: "t1", toolCallId: "k1" };
  for (const [who, claim, isRefused] of [
    [client, call, false],
    [other, claimOf(other), true],
    [client, whole, false],
    [client, claimOf(client), false],
  ] as const) {
    const own = await who.untilOwn(who.dispatch(channel, { type: "terminal/claimed", claim }));
    expect(isRejection(own)).toBe(isRefused);
  }
  const claims = client.actionsOf(channel, "terminal/claimed").map(({ claim }) => claim);
  expect(claims).toEqual([call, whole, claimOf(client)]);
});

test("48. of claims that come at once exactly one is accepted", async () => {
  using client = await rig.client();
  using second = await rig.client({ clientId: client.clientId });
  using one = await rig.client();
  using other = await rig.client();
  for (let time = 0; time < 5; time++) {
    const channel = await rig.run(client, "exec cat");
    await one.watch(channel);
    await Promise.all([client.watch(channel), second.watch(channel)]);
    const seqs = [1000 + time, 2000 + time] as const;
    client.dispatch(channel, { type: "terminal/claimed", claim: claimOf(one) }, seqs[0]);
    second.dispatch(channel, { type: "terminal/claimed", claim: claimOf(other) }, seqs[1]);
    const answers = [await client.untilOwn(seqs[0]), await second.untilOwn(seqs[1])];
    expect(answers.filter(isRejection)).toHaveLength(1);
    const accepted = answers.find((answer) => !isRejection(answer));
    await one.untilAction(channel, "terminal/claimed");
    const { fresh, mirrored } = await one.compare(channel);
    expect(fresh.claim).toEqual(accepted?.action.claim);
    expect(mirrored).toEqual(fresh);
  }
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
