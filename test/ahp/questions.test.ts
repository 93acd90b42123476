// What people are asked, told and answered over the Agent Host Protocol.
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ROOT } from "../support/ahp-client.ts";
import { AhpRig } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

interface Question {
  readonly requestId: string;
  readonly prompt: string;
  readonly reason?: string;
}

interface Told {
  readonly inputRequests?: readonly Question[];
  readonly lapsedRequests?: readonly Question[];
}

/** What the list of a client says of the questions about a terminal. */
function toldOf(client: AhpClient, channel: string): Told {
  const info = client.root.terminals?.find(({ resource }) => resource === channel);
  return (info?._meta?.["dev.nacre"] ?? {}) as Told;
}

/** Asks about a terminal without waiting; resolves with the id of the question. */
async function ask(client: AhpClient, channel: string, input: object): Promise<string> {
  const asked = await client.request("x-nacre/requestInput", { channel, input });
  return (asked as { readonly request: Question }).request.requestId;
}

test("P-A1: a question is told to everybody who follows the list, answered by one, and the answer is fetched by who asked", async () => {
  using agent = await rig.client();
  using person = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.run(agent, "exec cat");
  const requestId = await ask(agent, channel, { prompt: "Deploy?", choices: [{ value: "yes" }] });
  await person.until(() => toldOf(person, channel).inputRequests !== undefined);
  expect(toldOf(person, channel)).toEqual({
    inputRequests: [expect.objectContaining({ requestId, prompt: "Deploy?", kind: "answer" })],
  });
  const waiting = agent.request("x-nacre/readInputRequest", {
    channel,
    input: { requestId, timeoutMs: 20_000 },
  });
  const reply = { channel, input: { requestId, text: "yes", note: "go" } };
  expect(await person.request("x-nacre/answerInput", reply)).toMatchObject({
    outcome: "answered",
  });
  expect(await waiting).toMatchObject({ outcome: "answered", text: "yes", note: "go" });
  await person.until(() => toldOf(person, channel).inputRequests === undefined);
  const { mirrored, fresh } = await person.compare(ROOT);
  expect(mirrored).toEqual(fresh);
});

test("P-A2: a question that nobody answers is told as lapsed, until somebody takes it off", async () => {
  using agent = await rig.client();
  using person = await rig.client({ subscriptions: [ROOT] });
  const channel = await rig.run(agent, "exec cat");
  const requestId = await ask(agent, channel, { prompt: "Anybody?", expiresInMs: 1000 });
  await person.until(() => toldOf(person, channel).lapsedRequests !== undefined);
  expect(toldOf(person, channel)).toEqual({
    lapsedRequests: [expect.objectContaining({ requestId, reason: "expired" })],
  });
  const late = { channel, input: { requestId, text: "too late" } };
  expect(await person.codeOf("x-nacre/answerInput", late)).toBe(-32011);
  await person.request("x-nacre/withdrawInput", { channel, input: { requestId } });
  await person.until(() => toldOf(person, channel).lapsedRequests === undefined);
});

test("P-A1: clients of versions without `_meta` are told no questions, and can fetch and answer them", async () => {
  using old = await rig.client({ versions: ["0.6.0"], subscriptions: [ROOT] });
  const channel = await rig.run(old, "exec cat");
  const requestId = await ask(old, channel, { prompt: "Deploy?" });
  const declined = { channel, input: { requestId, note: "not today" } };
  expect(await old.request("x-nacre/answerInput", declined)).toMatchObject({ outcome: "declined" });
  const read = await old.request("x-nacre/readInputRequest", { channel, input: { requestId } });
  expect(read).toMatchObject({ outcome: "declined", note: "not today" });
  expect(JSON.stringify(old.frames)).not.toContain("inputRequests");
});
