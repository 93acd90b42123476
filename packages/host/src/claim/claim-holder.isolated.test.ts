import { ClientId } from "@nacre/contracts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENT_GRACE_MS, MAX_WAITING_CHANGES } from "./claim-holder.ts";
import { HOST_CLAIM } from "./claim-rules.ts";
import { caller, client, session } from "./testing/callers.ts";
import { ClaimFixture } from "./testing/claim-fixture.ts";

const ANN = caller("ann", "operator", { client: "web-1" });
const BOB = caller("bob", "operator", { client: "web-2" });
const BOT = caller("bot", "agent", { session: "s" });

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-01-31T09:30:00.000Z") }));
afterEach(() => vi.useRealTimers());

describe("a reading", () => {
  test("S-F12: says who holds it to whom, since when, why, and what was said", async () => {
    const setting = new ClaimFixture(session("s"));
    expect(setting.holder.readFor(BOT)).toMatchObject({ holder: "you", epoch: 1 });
    const { since } = await setting.holder.move({ by: ANN, note: "let me" });
    const taken = { claim: client("web-1"), epoch: 2, since, reason: "takeover", by: "ann" };
    expect(setting.holder.readFor(BOT)).toEqual({ ...taken, note: "let me", holder: "other" });
    expect(setting.holder.readFor(ANN)).toMatchObject({ holder: "you" });
    await setting.holder.handBack({ by: ANN });
    const back = setting.holder.readFor(BOT);
    expect(back).toMatchObject({ holder: "you", epoch: 3, reason: "handover", by: "ann" });
    expect(back).not.toHaveProperty("note");
  });
});

describe("a move", () => {
  test("is recorded, counts and is reported, in this order", async () => {
    const setting = new ClaimFixture(client("web-1"));
    const open = setting.closeGate();
    const moved = setting.holder.move({ wanted: session("s"), by: ANN, note: "yours" });
    await vi.advanceTimersByTimeAsync(0);
    expect([setting.claim, setting.changed]).toEqual([client("web-1"), []]);
    open();
    const state = { claim: session("s"), epoch: 2, since: "2026-01-31T09:30:00.000Z" };
    expect(await moved).toEqual(state);
    const change = { state, reason: "handover", by: "ann", note: "yours" };
    expect([setting.recorded, setting.changed]).toEqual([[change], [change]]);
    expect(setting.holder.state).toEqual(state);
  });

  test("that cannot be recorded changes nothing", async () => {
    const setting = new ClaimFixture(client("web-1"));
    setting.breakRecording();
    const moved = setting.holder.move({ wanted: session("s"), by: ANN });
    await expect(moved).rejects.toThrow("disk full");
    expect([setting.holder.state.epoch, setting.changed]).toEqual([1, []]);
    expect(await setting.holder.move({ wanted: session("s"), by: ANN })).toMatchObject({
      epoch: 2,
    });
  });

  test("to the same claim records nothing and keeps the epoch", async () => {
    const setting = new ClaimFixture(client("web-1"));
    expect(await setting.holder.move({ wanted: client("web-1"), by: ANN })).toMatchObject({
      epoch: 1,
    });
    expect(setting.recorded).toEqual([]);
  });

  test("of an agent to the background and back is visible each time", async () => {
    const setting = new ClaimFixture(session("s", "t1", "tool"));
    await setting.holder.move({ wanted: session("s"), by: BOT });
    await setting.holder.move({ wanted: session("s", "t2", "tool5"), by: BOT });
    expect(setting.reasons).toEqual(["detach", "reclaim"]);
    expect(setting.recorded.map(({ state }) => state.epoch)).toEqual([2, 3]);
  });

  test("by an epoch that is over is a conflict", async () => {
    const setting = new ClaimFixture(client("web-1"));
    await setting.holder.move({ wanted: session("s"), by: ANN, epoch: 1 });
    const late = setting.holder.move({ wanted: client("web-1"), by: ANN, epoch: 1 });
    await expect(late).rejects.toMatchObject({ code: "conflict", field: "epoch" });
  });

  test("after the end is refused", async () => {
    const setting = new ClaimFixture(client("web-1"));
    setting.holder[Symbol.dispose]();
    const late = setting.holder.move({ wanted: session("s"), by: ANN });
    await expect(late).rejects.toMatchObject({ code: "terminal_exited" });
  });
});

describe("of those who try at the same time", () => {
  const outcomes = async (moves: readonly Promise<unknown>[]): Promise<readonly string[]> => {
    const settled = await Promise.allSettled(moves);
    return settled.map((one) => (one.status === "fulfilled" ? "won" : String(one.reason.code)));
  };
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const firstOnly = numbers.map((index) => (index === 0 ? "won" : "claim_held"));

  test("one of 20 operators takes over", async () => {
    const setting = new ClaimFixture(session("s"));
    const moves = numbers.map((index) => {
      const by = caller(`op-${index}`, "operator", { client: `c-${index}` });
      return setting.holder.move({ wanted: client(`c-${index}`), by });
    });
    expect(await outcomes(moves)).toEqual(firstOnly);
    expect(setting.holder.state).toMatchObject({ claim: client("c-0"), epoch: 2 });
  });

  test("one of 20 clients of one operator takes over", async () => {
    const setting = new ClaimFixture(session("s"));
    const moves = numbers.map((index) => {
      const by = caller("ann", "operator", { client: `c-${index}` });
      return setting.holder.move({ wanted: client(`c-${index}`), by });
    });
    expect(await outcomes(moves)).toEqual(firstOnly);
  });

  test("one of 20 handovers by the holder succeeds", async () => {
    const setting = new ClaimFixture(client("web-1"));
    const moves = numbers.map((index) =>
      setting.holder.move({ wanted: client(`c-${index}`), by: ANN }),
    );
    expect(await outcomes(moves)).toEqual(firstOnly);
  });

  test("one of 20 agents of the same session moves the claim", async () => {
    const setting = new ClaimFixture(session("s"));
    const moves = numbers.map((index) => {
      const by = caller(`bot-${index}`, "agent", { session: "s" });
      return setting.holder.move({ wanted: session("s", `t-${index}`), by });
    });
    expect(await outcomes(moves)).toEqual(firstOnly);
  });

  test("A-F6: a client that was gone for long gets back what the host kept for it, unless somebody took it", async () => {
    const setting = new ClaimFixture(client("web-1"));
    const { holder } = setting;
    const beGone = async (): Promise<void> => {
      holder.clientGone(ClientId.parse("web-1"));
      await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
      expect(setting.claim).toEqual(HOST_CLAIM);
    };
    await beGone();
    holder.clientBack(ClientId.parse("web-2"));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.claim).toEqual(HOST_CLAIM);
    holder.clientBack(ClientId.parse("web-1"));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.claim).toEqual(client("web-1"));
    await beGone();
    await holder.move({ by: BOB });
    holder.clientBack(ClientId.parse("web-1"));
    await vi.advanceTimersByTimeAsync(0);
    expect(setting.claim).toEqual(client("web-2"));
    expect(setting.reasons).toEqual(["vanished", "reclaim", "vanished", "takeover"]);
  });

  test("A-F6: what cannot be given back is kept, and can still be taken", async () => {
    const setting = new ClaimFixture(client("web-1"));
    const { holder } = setting;
    holder.clientGone(ClientId.parse("web-1"));
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    setting.breakRecording();
    holder.clientBack(ClientId.parse("web-1"));
    await vi.advanceTimersByTimeAsync(0);
    expect([setting.claim, setting.failed.length]).toEqual([HOST_CLAIM, 1]);
    expect(await holder.move({ by: ANN })).toMatchObject({ claim: client("web-1") });
  });

  test("the next one succeeds when the first cannot be recorded", async () => {
    const setting = new ClaimFixture(session("s"));
    setting.breakRecording();
    const first = setting.holder.move({ wanted: client("web-1"), by: ANN });
    const second = setting.holder.move({ wanted: client("web-2"), by: BOB });
    await expect(first).rejects.toThrow("disk full");
    expect(await second).toMatchObject({ claim: client("web-2"), epoch: 2 });
  });

  test("a person takes over although the agent was faster", async () => {
    const setting = new ClaimFixture(session("s"));
    const moved = setting.holder.move({ wanted: session("s", "t1"), by: BOT });
    const taken = setting.holder.move({ wanted: client("web-1"), by: ANN });
    expect(await outcomes([moved, taken])).toEqual(["won", "won"]);
    expect(setting.reasons).toEqual(["reclaim", "takeover"]);
  });

  test("whoever changes it twice knows of its own change", async () => {
    const setting = new ClaimFixture(session("s", "t1"));
    const away = setting.holder.move({ wanted: session("s"), by: BOT });
    const again = setting.holder.move({ wanted: session("s", "t2"), by: BOT });
    expect(await outcomes([away, again])).toEqual(["won", "won"]);
  });

  test("an agent cannot fill the row, and an operator still gets its turn", async () => {
    const setting = new ClaimFixture(session("s"));
    const open = setting.closeGate();
    const moves = Array.from({ length: MAX_WAITING_CHANGES + 1 }, (_, index) =>
      setting.holder.move({ wanted: session("s", `t-${index}`), by: BOT }),
    );
    const taken = setting.holder.move({ wanted: client("web-1"), by: ANN });
    await expect(moves.at(-1)).rejects.toMatchObject({ code: "limit_reached" });
    open();
    expect(await taken).toMatchObject({ claim: client("web-1") });
  });

  test("who waits for a change that takes too long is told", async () => {
    const setting = new ClaimFixture(session("s"));
    const open = setting.closeGate();
    const moved = setting.holder.move({ wanted: client("web-1"), by: ANN });
    await vi.advanceTimersByTimeAsync(0);
    const settled = setting.holder.settled(1000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await settled).toBe(false);
    open();
    await moved;
    expect(await setting.holder.settled(1000)).toBe(true);
  });

  test("input waits for a change that is half done", async () => {
    const setting = new ClaimFixture(session("s"));
    const open = setting.closeGate();
    const moved = setting.holder.move({ wanted: client("web-1"), by: ANN });
    await vi.advanceTimersByTimeAsync(0);
    const seen = setting.holder.settled().then(() => setting.claim);
    open();
    expect(await seen).toEqual(client("web-1"));
    await moved;
  });
});
