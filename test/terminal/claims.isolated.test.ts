import { afterAll, afterEach, expect, test, vi } from "vitest";
import { type Caller, type Claim, ClientId } from "@nacre/contracts";
import { LOCAL_CALLER, type Terminal } from "@nacre/host";
import { agent, clientClaim, person } from "../support/callers.ts";
import { openHost } from "../support/open-host.ts";
import { entriesOf, recordedInput } from "../support/recorded-entries.ts";
import { shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, untilText } from "../support/terminal-output.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());
afterEach(() => void vi.useRealTimers());

const ADA = person("ada");
const BOB = person("bob");
const AGENT = agent("s1");
const IN_TURN: Claim = { kind: "session", session: "s1", turnId: "t1", toolCallId: "c1" };
const BACKGROUND: Claim = { kind: "session", session: "s1" };

/** A terminal that an agent drives in one of its turns. */
const startForAgent = (more: { readonly inputPolicy?: "open" | "holder" } = {}) =>
  host.createTerminal(shLine("cat"), { by: AGENT, claim: IN_TURN, ...more });

const claimsIn = async (terminal: Terminal) =>
  (await entriesOf(host, terminal.id)).flatMap((entry) => (entry.type === "claim" ? entry : []));

/** The next change of the claim that somebody who follows the terminal is told. */
async function nextClaim(terminal: Terminal, after: number) {
  for await (const message of terminal.subscribe({ after })) {
    if (message.kind === "entry" && message.entry.type === "claim") return message.entry;
  }
  return undefined;
}

test("a terminal is never without a claim: it begins with that of who created it", async () => {
  const mine = await host.createTerminal(shLine("cat"));
  expect(mine.claims.state).toMatchObject({ claim: clientClaim("local"), epoch: 1 });
  const agents = await host.createTerminal(shLine("cat"), { by: AGENT });
  expect((await agents.reader.read()).claim).toMatchObject({ claim: BACKGROUND, epoch: 1 });
  expect(await claimsIn(agents)).toMatchObject([
    { sequence: 2, claim: BACKGROUND, epoch: 1, reason: "created", by: "agent-s1" },
  ]);
});

test("a person takes over, and the agent is told who and why", async () => {
  const terminal = await startForAgent();
  const told = nextClaim(terminal, terminal.lastSequence);
  const note = "I will type the password";
  const state = await terminal.claims.move({ wanted: clientClaim("ada"), by: ADA, note });
  expect(state).toMatchObject({ claim: clientClaim("ada"), epoch: 2 });
  expect(await told).toMatchObject({
    claim: clientClaim("ada"),
    epoch: 2,
    reason: "takeover",
    by: "ada",
    note,
  });
  expect(terminal.summary.claim).toEqual(state);
  expect((await host.read(terminal.id)).claim).toEqual(state);
});

test("what was taken can be handed back, with a note of what is left to do", async () => {
  const terminal = await startForAgent();
  await terminal.claims.move({ wanted: clientClaim("ada"), by: ADA });
  await terminal.claims.handBack({ by: ADA, note: "logged in" });
  expect(await claimsIn(terminal)).toMatchObject([
    { reason: "created" },
    { reason: "takeover" },
    { reason: "handover", claim: IN_TURN, note: "logged in", epoch: 3 },
  ]);
});

test("who does not hold a terminal cannot claim it, and nothing changes", async () => {
  const terminal = await host.createTerminal(shLine("cat"), {
    by: ADA,
    claim: clientClaim("ada"),
  });
  const before = terminal.claims.state;
  for (const by of [AGENT, person("guest", "agent")]) {
    const wanted = by.session === undefined ? clientClaim("guest") : BACKGROUND;
    await expect(terminal.claims.move({ wanted, by })).rejects.toMatchObject({
      code: "claim_held",
      message: expect.stringContaining("client ada") as string,
    });
  }
  expect(terminal.claims.state).toEqual(before);
  expect(await claimsIn(terminal)).toHaveLength(1);
});

test("a person may put an agent's terminal into the background, and the agent may widen it again", async () => {
  const terminal = await startForAgent();
  await terminal.claims.move({ wanted: BACKGROUND, by: ADA });
  const wanted: Claim = { kind: "session", session: "s1", turnId: "t2", toolCallId: "c5" };
  await terminal.claims.move({ wanted, by: AGENT });
  expect(await claimsIn(terminal)).toMatchObject([
    { reason: "created", claim: IN_TURN },
    { reason: "detach", claim: BACKGROUND, by: "ada" },
    { reason: "reclaim", claim: wanted, by: "agent-s1" },
  ]);
});

test("of 20 people who take over at the same time exactly one succeeds", async () => {
  const terminal = await startForAgent();
  const people = Array.from({ length: 20 }, (_, index) => person(`p${index}`));
  const outcomes = await Promise.allSettled(
    people.map((by) => terminal.claims.move({ wanted: clientClaim(by.id), by })),
  );
  const winners = outcomes.flatMap((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : [],
  );
  expect(winners).toEqual([terminal.claims.state]);
  const codes = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? (outcome.reason as { code: string }).code : [],
  );
  expect(codes).toEqual(Array.from({ length: 19 }, () => "claim_held"));
  expect(await claimsIn(terminal)).toHaveLength(2);
});

test("a client that is back in time keeps its claim; one that is not loses it to the agent, never to nobody", async () => {
  const terminal = await startForAgent();
  await terminal.claims.move({ wanted: clientClaim("ada"), by: ADA });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const id = ClientId.parse("ada");
  terminal.claims.clientGone(id);
  vi.advanceTimersByTime(9000);
  terminal.claims.clientBack(id);
  vi.advanceTimersByTime(60_000);
  await terminal.claims.settled();
  expect(terminal.claims.state.claim).toEqual(clientClaim("ada"));
  terminal.claims.clientGone(id);
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  await expect.poll(() => terminal.claims.state.claim).toEqual(BACKGROUND);
  expect((await claimsIn(terminal)).at(-1)).toMatchObject({
    reason: "vanished",
    claim: BACKGROUND,
  });
});

test("an agent asks for control, everybody sees it, and a yes moves the claim", async () => {
  const terminal = await host.createTerminal(shLine("cat"), {
    by: ADA,
    claim: clientClaim("ada"),
    inputPolicy: "holder",
  });
  const asking = { by: AGENT, note: "may I?", deadlineMs: DEADLINE_MS };
  const { request, answered } = terminal.claims.requestControl(asking);
  expect((await terminal.reader.read()).controlRequests).toEqual([request]);
  await terminal.claims.answer({ requestId: request.requestId, by: ADA, grant: true });
  expect(await answered).toMatchObject({ outcome: "granted", by: "ada" });
  expect(terminal.claims.state).toMatchObject({ claim: BACKGROUND, epoch: 2 });
  expect((await claimsIn(terminal)).at(-1)).toMatchObject({ reason: "granted" });
  expect(await terminal.reader.read()).not.toHaveProperty("controlRequests");
});

/** What each kind of caller may do, by the policy of the terminal. */
const MATRIX: readonly [string, Caller, "open" | "holder", (string | undefined)[]][] = [
  // Types, renames, clears, kills.
  ["the holder", AGENT, "open", [undefined, undefined, undefined, undefined]],
  ["the holder", AGENT, "holder", [undefined, undefined, undefined, undefined]],
  ["an operator", ADA, "open", [undefined, undefined, undefined, undefined]],
  ["an operator", ADA, "holder", ["claim_held", "claim_held", "claim_held", undefined]],
  ["another agent", agent("s2"), "open", ["claim_held", "claim_held", "claim_held", "claim_held"]],
  [
    "another agent",
    agent("s2"),
    "holder",
    ["claim_held", "claim_held", "claim_held", "claim_held"],
  ],
  [
    "a watcher",
    person("eve", "readOnly"),
    "open",
    ["forbidden", "forbidden", "forbidden", "forbidden"],
  ],
];

test.each(MATRIX)("%s (%o) of a terminal that is %s", async (_, by, inputPolicy, expected) => {
  const terminal = await startForAgent({ inputPolicy });
  const attempts = [
    () => terminal.write("typed\n", { by }),
    () => terminal.rename("renamed", by),
    () => terminal.clear(by),
    () => terminal.kill(by, 0),
  ];
  const codes: (string | undefined)[] = [];
  for (const attempt of attempts) {
    codes.push(
      await attempt().then(
        () => undefined,
        (error: unknown) => (error as { code: string }).code,
      ),
    );
  }
  expect(codes).toEqual(expected);
  const typed = (await recordedInput(host, terminal)).length;
  expect(typed).toBe(expected[0] === undefined ? 1 : 0);
});

test("everybody may look, whoever holds the terminal", async () => {
  const terminal = await startForAgent({ inputPolicy: "holder" });
  await terminal.write("to see\n", { by: AGENT });
  await untilText(terminal, "to see\nto see");
  using feed = terminal.subscribe();
  expect((await feed.next()).value).toMatchObject({ kind: "snapshot" });
  expect((await terminal.reader.readScreen("text")).text).toContain("to see");
});

test("who types by an old claim is refused and told the present one", async () => {
  const terminal = await startForAgent();
  const { epoch } = terminal.claims.state;
  await terminal.claims.move({ wanted: clientClaim("ada"), by: ADA });
  await expect(terminal.write("late\n", { by: AGENT, epoch })).rejects.toMatchObject({
    code: "conflict",
    field: "epoch",
  });
  expect(await recordedInput(host, terminal)).toEqual([]);
  await terminal.write("in time\n", { by: ADA, epoch: epoch + 1 });
  await untilText(terminal, "in time");
});

test("where only the holder may type, who lost the claim cannot any more", async () => {
  const terminal = await startForAgent({ inputPolicy: "holder" });
  await terminal.write("agent types\n", { by: AGENT });
  await terminal.claims.move({ wanted: clientClaim("bob"), by: BOB });
  await expect(terminal.write("late\n", { by: AGENT })).rejects.toMatchObject({
    code: "claim_held",
  });
  await terminal.write("bob types\n", { by: BOB });
  await untilText(terminal, "bob types");
  expect((await entriesOf(host, terminal.id)).filter(({ type }) => type === "input")).toMatchObject(
    [{ by: "agent-s1" }, { by: "bob" }],
  );
});

test("a terminal that ended keeps the claim it ended with", async () => {
  const terminal = await startForAgent();
  await terminal.claims.move({ wanted: clientClaim("ada"), by: ADA });
  await terminal.kill(LOCAL_CALLER, 0);
  await host.registry.dispose(terminal.id);
  expect((await host.read(terminal.id)).claim).toMatchObject({
    claim: clientClaim("ada"),
    epoch: 2,
  });
});
