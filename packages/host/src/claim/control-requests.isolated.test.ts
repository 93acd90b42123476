import { type Caller, ControlRequest, MAX_CONTROL_REQUESTS } from "@nacre/contracts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ClaimHolder, MAX_EARLIER_CLAIMS } from "./claim-holder.ts";
import { type ClaimChange, HOST_CLAIM } from "./claim-rules.ts";
import { MAX_DEADLINE_MS } from "./control-requests.ts";
import { caller, client, session } from "./testing/callers.ts";

const ANN = caller("ann", "operator", { client: "web-1" });
const BOT = caller("bot", "agent", { session: "s" });
const OTHER_BOT = caller("bot-2", "agent", { session: "s2" });
const DEADLINE_MS = 60_000;

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-01-31T09:30:00.000Z") }));
afterEach(() => vi.useRealTimers());

function holding(by: Caller, record: (change: ClaimChange) => Promise<void> = async () => {}) {
  const changed: (ClaimChange | undefined)[] = [];
  const claim = by.session === undefined ? client(by.clientId ?? by.id) : session(by.session, "t1");
  const holder = new ClaimHolder({
    state: { claim, epoch: 1, since: "2026-01-31T09:00:00.000Z" },
    log: {
      record,
      changed: (change) => changed.push(change),
      failed: (error) => {
        throw error;
      },
    },
  });
  return { holder, changed };
}

const ask = (holder: ClaimHolder, by: Caller, note?: string) =>
  holder.requestControl({ by, deadlineMs: DEADLINE_MS, note });

describe("a request for control", () => {
  test("is visible while it is open", () => {
    const { holder, changed } = holding(ANN);
    const { request } = ask(holder, BOT, "need to restart the server");
    expect(holder.requests).toEqual([request]);
    expect(request).toEqual({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      by: "bot",
      claim: session("s"),
      note: "need to restart the server",
      askedAt: "2026-01-31T09:30:00.000Z",
      expiresAt: "2026-01-31T09:31:00.000Z",
    });
    expect(ControlRequest.parse(request)).toEqual(request);
    expect(changed).toEqual([undefined]);
  });

  test("that the holder grants gives the claim to who asked", async () => {
    const { holder, changed } = holding(ANN);
    const { request, answered } = ask(holder, BOT);
    const { requestId } = request;
    const state = await holder.answer({ requestId, by: ANN, grant: true, note: "be quick" });
    expect(state).toMatchObject({ claim: session("s"), epoch: 2 });
    expect(await answered).toEqual({ outcome: "granted", by: "ann", note: "be quick" });
    expect(changed.at(-1)).toEqual({ state, reason: "granted", by: "ann", note: "be quick" });
    expect([holder.requests, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test("that the holder denies changes nothing", async () => {
    const { holder, changed } = holding(ANN);
    const { request, answered } = ask(holder, BOT);
    await holder.answer({ requestId: request.requestId, by: ANN, grant: false, note: "no" });
    expect(await answered).toEqual({ outcome: "denied", by: "ann", note: "no" });
    expect([holder.state.epoch, holder.requests, changed]).toEqual([1, [], [undefined, undefined]]);
  });

  test("to an agent can be answered by an operator", async () => {
    const { holder } = holding(BOT);
    const { request } = ask(holder, OTHER_BOT);
    await holder.answer({ requestId: request.requestId, by: ANN, grant: true });
    expect(holder.state.claim).toEqual(session("s2"));
  });

  test.each([true, false])("cannot be answered by others (%s)", async (grant) => {
    const { holder } = holding(ANN);
    const { requestId } = ask(holder, BOT).request;
    const answered = holder.answer({ requestId, by: BOT, grant });
    await expect(answered).rejects.toMatchObject({ code: "claim_held" });
    const looking = holder.answer({ requestId, by: { ...ANN, scope: "readOnly" }, grant });
    await expect(looking).rejects.toMatchObject({ code: "forbidden" });
    expect(holder.requests).toHaveLength(1);
  });

  test("expires at its deadline", async () => {
    const { holder, changed } = holding(ANN);
    const { request, answered } = ask(holder, BOT);
    vi.advanceTimersByTime(DEADLINE_MS - 1);
    expect(holder.requests).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await answered).toEqual({ outcome: "expired" });
    expect([holder.requests, changed]).toEqual([[], [undefined, undefined]]);
    const late = holder.answer({ requestId: request.requestId, by: ANN, grant: true });
    await expect(late).rejects.toMatchObject({ code: "conflict", field: "requestId" });
  });

  test("whose yes is being recorded at its deadline ends as that ends", async () => {
    const recorded = Promise.withResolvers<void>();
    const { holder } = holding(ANN, () => recorded.promise);
    const { request, answered } = ask(holder, BOT);
    const granted = holder.answer({ requestId: request.requestId, by: ANN, grant: true });
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(holder.requests).toHaveLength(1);
    recorded.resolve();
    expect([(await answered).outcome, (await granted).claim]).toEqual(["granted", session("s")]);
  });

  test("whose yes cannot be recorded expires, when it is time", async () => {
    const recorded = Promise.withResolvers<void>();
    const { holder } = holding(ANN, () => recorded.promise);
    const { request, answered } = ask(holder, BOT);
    const granted = holder.answer({ requestId: request.requestId, by: ANN, grant: true });
    const outcome = Promise.allSettled([granted]);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    recorded.reject(new Error("disk full"));
    expect(await outcome).toEqual([{ status: "rejected", reason: new Error("disk full") }]);
    expect([(await answered).outcome, holder.state.epoch]).toEqual(["expired", 1]);
  });

  test("is granted once", async () => {
    const { holder } = holding(ANN);
    const { requestId } = ask(holder, BOT).request;
    const first = holder.answer({ requestId, by: ANN, grant: true });
    const second = holder.answer({ requestId, by: ANN, grant: true });
    expect(await first).toMatchObject({ epoch: 2 });
    await expect(second).rejects.toMatchObject({ code: "conflict" });
  });

  test("is replaced by a later one of the same caller", async () => {
    const { holder } = holding(ANN);
    const first = ask(holder, BOT, "first");
    const second = ask(holder, BOT, "second");
    expect(await first.answered).toEqual({ outcome: "replaced" });
    expect(holder.requests).toEqual([second.request]);
  });

  test("ends when who asked gets the claim by other means", async () => {
    const { holder } = holding(ANN);
    const { answered } = ask(holder, BOT);
    await holder.move({ wanted: session("s", "t3"), by: ANN });
    expect(await answered).toEqual({ outcome: "granted", by: "ann" });
  });

  test("ends with the terminal", async () => {
    const { holder } = holding(ANN);
    const { answered } = ask(holder, BOT);
    holder[Symbol.dispose]();
    expect(await answered).toEqual({ outcome: "closed" });
    expect(() => ask(holder, BOT)).toThrow("has ended");
  });

  test("is refused to the holder, to those who only look, and when too many are open", () => {
    const { holder } = holding(ANN);
    expect(() => ask(holder, ANN)).toThrow("caller ann already holds this terminal");
    expect(() => ask(holder, caller("eve", "readOnly"))).toThrow("may only look");
    for (let index = 0; index < MAX_CONTROL_REQUESTS; index += 1) {
      ask(holder, caller(`bot-${index}`, "agent"));
    }
    expect(() => ask(holder, caller("one-more", "agent"))).toThrow("16 callers already asked");
    expect(ask(holder, caller("bot-0", "agent")).request.by).toBe("bot-0");
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, MAX_DEADLINE_MS + 1])(
    "with a deadline of %d is refused",
    (deadlineMs) => {
      const { holder } = holding(ANN);
      expect(() => holder.requestControl({ by: BOT, deadlineMs })).toThrow("deadlineMs: must be");
    },
  );
});

describe("handing back", () => {
  test("gives the claim to whom it was taken from, with a note", async () => {
    const { holder, changed } = holding(BOT);
    await holder.move({ wanted: client("web-1"), by: ANN });
    const state = await holder.handBack({ by: ANN, note: "fixed it" });
    expect(state).toMatchObject({ claim: session("s", "t1"), epoch: 3 });
    expect(changed.at(-1)).toEqual({ state, reason: "handover", by: "ann", note: "fixed it" });
  });

  test("goes back through all hands, each once", async () => {
    const { holder } = holding(BOT);
    const bob = caller("bob", "operator", { client: "web-2" });
    await holder.move({ wanted: client("web-1"), by: ANN });
    await holder.move({ wanted: client("web-2"), by: bob });
    expect((await holder.handBack({ by: bob })).claim).toEqual(client("web-1"));
    expect((await holder.handBack({ by: ANN })).claim).toEqual(session("s", "t1"));
    await expect(holder.handBack({ by: BOT })).rejects.toMatchObject({ code: "conflict" });
  });

  test("follows a grant, too", async () => {
    const { holder } = holding(BOT);
    const { requestId } = ask(holder, ANN).request;
    await holder.answer({ requestId, by: BOT, grant: true });
    expect(holder.state.claim).toEqual(client("web-1"));
    expect((await holder.handBack({ by: ANN })).claim).toEqual(session("s", "t1"));
  });

  test("is refused to others, and when nobody had it before", async () => {
    const { holder } = holding(ANN);
    await expect(holder.handBack({ by: BOT })).rejects.toMatchObject({ code: "claim_held" });
    const looking = holder.handBack({ by: { ...ANN, scope: "readOnly" } });
    await expect(looking).rejects.toMatchObject({ code: "forbidden" });
    await expect(holder.handBack({ by: ANN })).rejects.toThrow("not taken from anybody");
  });

  test("passes over the host, which wants nothing back", async () => {
    const { holder } = holding(ANN);
    const bob = caller("bob", "operator", { client: "web-2" });
    await holder.move({ wanted: HOST_CLAIM, by: ANN });
    await holder.move({ wanted: client("web-2"), by: bob });
    expect((await holder.handBack({ by: bob })).claim).toEqual(client("web-1"));
    await expect(holder.handBack({ by: ANN })).rejects.toMatchObject({ code: "conflict" });
  });

  test("remembers a bounded number of hands", async () => {
    const { holder } = holding(ANN);
    const hand = (index: number) => caller("ann", "agent", { client: `c-${index}` });
    await holder.move({ wanted: client("c-0"), by: ANN });
    for (let index = 0; index < MAX_EARLIER_CLAIMS; index += 1) {
      await holder.move({ wanted: client(`c-${index + 1}`), by: hand(index) });
    }
    for (let index = MAX_EARLIER_CLAIMS; index > 0; index -= 1) {
      await holder.handBack({ by: hand(index) });
    }
    expect(holder.state.claim).toEqual(client("c-0"));
    await expect(holder.handBack({ by: hand(0) })).rejects.toMatchObject({ code: "conflict" });
  });
});
