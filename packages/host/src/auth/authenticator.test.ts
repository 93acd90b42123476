import { type Caller, CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { Identity } from "./auth-context.ts";
import { describeTcpListener, describeUnixListener, type RequestFacts } from "./check-request.ts";
import { type AuthDecision, Authenticator } from "./authenticator.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { FREE_FAILURES, MAX_FAILURES, FailedAuthLimiter } from "./failed-auth-limiter.ts";
import { Tickets } from "./tickets.ts";

const TOKENS: ReadonlyMap<string, Identity> = new Map([
  ["right", { caller: { id: CallerId.parse("bob"), scope: "agent" }, credential: { name: "bob" } }],
]);

const REMOTE = { source: "127.0.0.1", isLocal: false };
const LOCAL = { source: "uid 1000", isLocal: true };

function makeJudge() {
  const clock = new ManualClock();
  const tickets = new Tickets(clock);
  const throttle = new FailedAuthLimiter({ clock });
  const tokens = { verify: (secret: string) => TOKENS.get(secret) };
  return { clock, tickets, judge: new Authenticator({ tokens, tickets, throttle }) };
}

function facts(headers: readonly string[], change: Partial<RequestFacts> = {}): RequestFacts {
  return {
    listener: describeTcpListener({ port: 6227 }),
    publicPaths: ["/"],
    method: "GET",
    target: "/api/terminals",
    rawHeaders: ["Host", "localhost:6227", ...headers],
    upgrade: false,
    ...change,
  };
}

const local = (headers: readonly string[] = []): RequestFacts =>
  facts([], { listener: describeUnixListener(), rawHeaders: ["Host", "localhost", ...headers] });

const callerOf = (judgement: AuthDecision): Caller | undefined =>
  judgement.outcome === "admitted" ? judgement.identity.caller : undefined;

test("our own user over the unix socket is the operator `local`", () => {
  const { judge } = makeJudge();
  expect(callerOf(judge.authenticate(local(), LOCAL))).toEqual({
    id: "local",
    scope: "operator",
    clientId: "local",
  });
});

test("a token over the unix socket decides, so that an agent there stays an agent", () => {
  const { judge } = makeJudge();
  expect(
    callerOf(judge.authenticate(local(["Authorization", "Bearer right"]), LOCAL)),
  ).toMatchObject({
    id: "bob",
    scope: "agent",
  });
  expect(judge.authenticate(local(["Authorization", "Bearer wrong"]), LOCAL)).toMatchObject({
    refusal: { status: 401 },
  });
});

test("nothing shown over the network is refused and does not count as a guess", () => {
  const { judge } = makeJudge();
  const answers = Array.from({ length: MAX_FAILURES * 2 }, () =>
    judge.authenticate(facts([]), REMOTE),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ refusal: { status: 401 }, delayMs: 0 });
});

test("wrong tokens are slowed, then told to stop; a right one is let in all the while", () => {
  const { judge } = makeJudge();
  const guess = () => judge.authenticate(facts(["Authorization", "Bearer wrong"]), REMOTE);
  const answers = Array.from({ length: MAX_FAILURES + 1 }, guess);
  expect(answers[0]).toMatchObject({ refusal: { status: 401 }, delayMs: 0 });
  expect(answers[FREE_FAILURES]).toMatchObject({ refusal: { status: 401 }, delayMs: 100 });
  expect(answers[MAX_FAILURES - 1]).toMatchObject({ refusal: { status: 401 }, delayMs: 1000 });
  expect(answers[MAX_FAILURES]).toMatchObject({ refusal: { status: 429, code: "limit_reached" } });
  const right = judge.authenticate(facts(["Authorization", "Bearer right"]), REMOTE);
  expect(callerOf(right)?.id).toBe("bob");
});

test("a wrong ticket and an unreadable credential count as guesses", () => {
  const { judge } = makeJudge();
  const upgrade = facts(["Upgrade", "websocket"], { upgrade: true, target: "/ahp?ticket=no" });
  const guesses = [upgrade, facts(["Authorization", "Basic x"])];
  for (let count = 0; count < FREE_FAILURES; count += 1)
    judge.authenticate(guesses[count % 2]!, REMOTE);
  expect(judge.authenticate(upgrade, REMOTE)).toMatchObject({ delayMs: 100 });
});

test("a ticket keeps the client that asked for it unless the upgrade names one", () => {
  const { judge, tickets } = makeJudge();
  const asked = judge.authenticate(
    facts(["Authorization", "Bearer right", "Nacre-Client-Id", "page"]),
    REMOTE,
  );
  const caller = callerOf(asked)!;
  const enter = (headers: readonly string[]) => {
    const { ticket } = tickets.issue(caller, { path: "/ahp" });
    const target = `/ahp?ticket=${ticket}`;
    const entry = facts(["Upgrade", "websocket", ...headers], { upgrade: true, target });
    return callerOf(judge.authenticate(entry, REMOTE))?.clientId;
  };
  expect(enter([])).toBe("bob#page");
  expect(enter(["Nacre-Client-Id", "other"])).toBe("bob#other");
});
