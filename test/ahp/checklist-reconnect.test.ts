// The protocol's checklist: clients that come back.
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type AhpClient, ownChannel, ROOT } from "../support/ahp-client.ts";
import { textOf } from "../support/ahp-mirror.ts";
import { AhpRig, COUNTING, numbersIn } from "./ahp-rig.ts";

const rig = await AhpRig.open();
afterAll(() => rig[Symbol.asyncDispose]());

/** What the history of a channel cannot hold. */
const MUCH = "yes 0123456789012345678901234567890123456789 | head -c 6000000; echo enough";

/** Types a line to `cat` and resolves when its answer is there. */
async function typeLine(client: AhpClient, channel: string, line: string): Promise<void> {
  client.type(channel, `${line}\r`);
  await client.untilText(channel, `${line}\r\n${line}\r\n`);
}

test("62. a replay has exactly the missed envelopes of the channels asked for, in order", async () => {
  using observer = await rig.client({ subscriptions: [ROOT] });
  const client = await rig.client({ subscriptions: [ROOT] });
  const [one, two, three] = [
    await rig.run(observer, "exec cat"),
    await rig.run(observer, "exec cat"),
    await rig.run(observer, "exec cat"),
  ];
  for (const channel of [one, two, three]) {
    await observer.watch(channel);
    await client.watch(channel);
  }
  await typeLine(observer, one, "before");
  await client.untilText(one, "before\r\nbefore\r\n");
  await client.drop();
  const { lastSeenServerSeq } = client.mirrors;
  for (const channel of [one, three, two]) await typeLine(observer, channel, "missed");
  observer.dispatch(two, { type: "terminal/titleChanged", title: "new" });
  const isListed = () => observer.root.terminals?.some(({ title }) => title === "new") ?? false;
  await observer.until(isListed, "the new title in the list");
  using again = await rig.again(client);
  const answer = await again.reconnect({ subscriptions: [two, ROOT, one] });
  const missed = observer.envelopes.filter(
    ({ serverSeq, channel }) => serverSeq > lastSeenServerSeq && channel !== three,
  );
  expect(missed.length).toBeGreaterThan(4);
  expect(answer).toEqual({ type: "replay", actions: missed, missing: [] });
  await typeLine(observer, three, "unheard");
  await typeLine(observer, one, "live");
  await again.untilText(one, "live\r\nlive\r\n");
  expect(new Set(again.envelopes.map(({ channel }) => channel))).toEqual(new Set([one]));
  for (const channel of [one, two]) {
    const { mirrored, fresh } = await again.compare(channel);
    expect(mirrored).toEqual(fresh);
  }
});

test("63. what is gone, or never was, is among the missing", async () => {
  using other = await rig.client();
  const client = await rig.client({ subscriptions: [ROOT] });
  const kept = await rig.run(client, "exec cat");
  const gone = await rig.run(client, "exec cat");
  await client.watch(kept);
  await client.watch(gone);
  await client.drop();
  await other.disposeTerminal(gone);
  using again = await rig.again(client);
  const never = ownChannel();
  const answer = await again.reconnect({ subscriptions: [never, kept, gone, "nonsense", ROOT] });
  expect(answer.type).toBe("replay");
  expect(new Set(answer.missing)).toEqual(new Set([never, gone, "nonsense"]));
});

test("64. a cursor ahead of the host is answered with snapshots", async () => {
  const client = await rig.client();
  const channel = await rig.run(client, "echo words; exec cat");
  await client.watch(channel);
  await client.untilText(channel, "words\r\n");
  await client.drop();
  for (const lastSeenServerSeq of [1_000_000, Number.MAX_SAFE_INTEGER]) {
    using again = await rig.again(client);
    const gone = ownChannel();
    const subscriptions = [ROOT, channel, gone];
    const answer = await again.reconnect({ lastSeenServerSeq, subscriptions });
    expect(answer).toMatchObject({ type: "snapshot" });
    expect(answer).not.toHaveProperty("missing");
    expect(new Set(answer.snapshots?.map(({ resource }) => resource))).toEqual(
      new Set([ROOT, channel]),
    );
    expect(again.text(channel)).toBe("words\r\n");
  }
});

test("64. a cursor older than the history is answered with snapshots", async () => {
  using observer = await rig.client();
  const client = await rig.client();
  const channel = await rig.run(client, `read _; ${MUCH}; exec cat`);
  await client.watch(channel);
  await client.drop();
  await observer.watch(channel);
  observer.handleEnvelope = () => observer.frames.splice(0);
  observer.type(channel, "\r");
  await observer.untilEnvelope(({ action }) => action.data?.includes("enough") ?? false);
  using again = await rig.again(client);
  const answer = await again.reconnect({ subscriptions: [channel] });
  expect(answer.type).toBe("snapshot");
  expect(again.text(channel)).toMatch(/enough\r\n$/);
  await typeLine(again, channel, "more");
  const { mirrored, fresh } = await again.compare(channel);
  expect(mirrored.content.at(-1)).toEqual(fresh.content.at(-1));
});

test("65. an unknown client is answered with -32008 and may then begin anew", async () => {
  using client = await rig.connect();
  const params = { lastSeenServerSeq: 5, subscriptions: [ROOT] };
  await expect(client.reconnect(params)).rejects.toMatchObject({ code: -32008 });
  const { snapshots } = await client.initialize({ initialSubscriptions: [ROOT] });
  expect(snapshots).toHaveLength(1);
  await expect(client.request("ping")).resolves.toBeNull();
});

test.each([
  ["0.5.0", { exitCode: 4 }, "lifecycle"],
  ["1.0.0", { lifecycle: { status: "exited", exitCode: 4 } }, "exitCode"],
])("66. the shape of %s is that of the client again", async (version, ended, foreign) => {
  using observer = await rig.client();
  const client = await rig.client({ versions: [version], subscriptions: [ROOT] });
  const channel = await rig.run(client, "read _; exit 4");
  await client.watch(channel);
  await client.drop();
  const { lastSeenServerSeq } = client.mirrors;
  await observer.watch(channel);
  observer.type(channel, "\r");
  await observer.untilAction(channel, "terminal/exited");
  await rig.infoOf(observer, channel);
  for (const cursor of [lastSeenServerSeq, Number.MAX_SAFE_INTEGER]) {
    using again = await rig.again(client);
    const subscriptions = [ROOT, channel];
    await again.reconnect({ lastSeenServerSeq: cursor, subscriptions });
    const isEnded = () => JSON.stringify(again.root.terminals).includes('"exitCode":4');
    await again.until(isEnded, "the end in the list");
    const info = again.root.terminals?.find(({ resource }) => resource === channel);
    for (const shaped of [again.terminal(channel), info]) {
      expect(shaped).toMatchObject(ended);
      expect(shaped).not.toHaveProperty(foreign);
    }
  }
});

test("67. nothing is lost and nothing comes twice however often a client drops amid output", async () => {
  const drops = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 4, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(drops, async (counts) => {
      using creator = await rig.client();
      const args = ["-c", COUNTING];
      const channel = await rig.launch(creator, { command: "/bin/bash", args });
      await creator.watch(channel);
      let client = await rig.client();
      await client.watch(channel);
      for (const count of counts) {
        await client.until(() => client.envelopes.length >= count, `${count} envelopes`);
        await client.drop();
        client = await rig.again(client);
        await client.reconnect({ subscriptions: [channel] });
      }
      creator.type(channel, "\r");
      await creator.untilAction(channel, "terminal/exited");
      await client.until(() => client.terminal(channel).lifecycle?.status === "exited");
      client[Symbol.dispose]();
      expect(client.text(channel)).toBe(creator.text(channel));
      const lines = numbersIn(client.text(channel));
      expect(lines).toEqual(lines.map((_, index) => index + 1));
      await creator.disposeTerminal(channel);
    }),
    { numRuns: 5 },
  );
});

test("68. input numbered from 1 again after a reconnect is new input", async () => {
  const client = await rig.client();
  const channel = await rig.run(client, "exec cat");
  await client.watch(channel);
  const input = { type: "terminal/input", data: "word\r" };
  client.dispatch(channel, input, 1);
  await client.untilText(channel, "word\r\nword\r\n");
  await client.drop();
  using again = await rig.again(client);
  await again.reconnect({ subscriptions: [channel] });
  again.dispatch(channel, input, 1);
  await again.untilText(channel, "word\r\n".repeat(4));
  expect(await again.untilOwn(1)).toMatchObject({ action: input });
});

test("69. a replay has the client's own echoes and rejections, and nobody else's rejections", async () => {
  using observer = await rig.client();
  const client = await rig.client();
  const channel = await rig.run(observer, "exec cat");
  await observer.watch(channel);
  await client.watch(channel);
  const { lastSeenServerSeq } = client.mirrors;
  const claim = { kind: "client", clientId: client.clientId };
  const rejected = client.dispatch(channel, { type: "terminal/claimed", claim });
  await client.untilOwn(rejected);
  const echoed = client.type(channel, "words\r");
  await client.untilText(channel, "words\r\nwords\r\n");
  await client.drop();
  const own = client.envelopesOf(channel);
  using again = await rig.again(client);
  const answer = await again.reconnect({ lastSeenServerSeq, subscriptions: [channel] });
  expect(answer).toEqual({ type: "replay", actions: own, missing: [] });
  const { clientId } = client;
  const seqs = own.flatMap(({ origin }) => (origin?.clientId === clientId ? origin.clientSeq : []));
  expect(seqs).toEqual([rejected, echoed]);
  await observer.drop();
  using watching = await rig.again(observer);
  const theirs = await watching.reconnect({ lastSeenServerSeq, subscriptions: [channel] });
  expect(theirs.actions?.some(({ rejectionReason }) => rejectionReason !== undefined)).toBe(false);
  expect(theirs.actions?.some(({ origin }) => origin?.clientSeq === echoed)).toBe(true);
});

/** Follows how much came and how it ends, without looking at all of it again and again. */
function tailOf(client: AhpClient): { length: number; text: string } {
  const tail = { length: 0, text: "" };
  client.handleEnvelope = ({ action }) => {
    client.forget();
    if (action.type !== "terminal/data") return;
    tail.length += action.data?.length ?? 0;
    tail.text = (tail.text + (action.data ?? "")).slice(-1000);
  };
  return tail;
}

test("70. who never reads holds up nobody, and is brought up to date", async () => {
  using stalled = await rig.client();
  using reader = await rig.client();
  const line = `read _; ${MUCH}; ${MUCH}; ${MUCH}; exec cat`;
  const channel = await rig.run(reader, line);
  const state = await stalled.watch(channel);
  await reader.watch(channel);
  stalled.socket.pause();
  const [late, read] = [tailOf(stalled), tailOf(reader)];
  reader.type(channel, "\r");
  const isWhole = (): boolean => read.length > 18_000_000 && read.text.endsWith("enough\r\n");
  await reader.until(isWhole, "the whole flood");
  reader.type(channel, "still here\r");
  await reader.until(() => read.text.endsWith("still here\r\nstill here\r\n"));
  stalled.socket.resume();
  await stalled.until(() => late.text.endsWith("still here\r\nstill here\r\n"));
  expect(late.length).toBeLessThan(read.length);
  const { mirrored, fresh } = await stalled.compare(channel);
  expect({ ...mirrored, content: [] }).toEqual({ ...state, content: [] });
  expect(textOf(mirrored.content).endsWith(textOf(fresh.content).slice(-500_000))).toBe(true);
  await reader.disposeTerminal(channel);
});

test("nothing failed that no client was told of", () => {
  expect(rig.failures).toEqual([]);
});
