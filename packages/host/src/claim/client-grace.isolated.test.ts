import { ClientId } from "@nacre/contracts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENT_GRACE_MS } from "./claim-holder.ts";
import { HOST_CLAIM } from "./claim-rules.ts";
import { caller, client, session } from "./testing/callers.ts";
import { ClaimFixture } from "./testing/claim-fixture.ts";

const ANN = caller("ann", "operator", { client: "web-1" });
const BOB = caller("bob", "operator", { client: "web-2" });
const BOT = caller("bot", "agent", { session: "s" });
const TOOL = caller("tool", "agent", { client: "tool-1" });

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-01-31T09:30:00.000Z") }));
afterEach(() => vi.useRealTimers());

const gone = (setting: ClaimFixture, name: string) =>
  setting.holder.clientGone(ClientId.parse(name));
const back = (setting: ClaimFixture, name: string) =>
  setting.holder.clientBack(ClientId.parse(name));

describe("a client that holds the claim and leaves", () => {
  test("keeps it when it is back in time", async () => {
    const setting = new ClaimFixture(client("web-1"), session("s"));
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS - 1);
    back(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS * 2);
    expect([setting.claim, setting.recorded]).toEqual([client("web-1"), []]);
  });

  test("loses it after the grace time, which leaving again does not prolong", async () => {
    const setting = new ClaimFixture(client("web-1"));
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS - 1);
    gone(setting, "web-1");
    expect(setting.claim).toEqual(client("web-1"));
    await vi.advanceTimersByTimeAsync(1);
    expect(setting.holder.state).toMatchObject({ claim: HOST_CLAIM, epoch: 2 });
    expect(setting.changed).toEqual([{ state: setting.holder.state, reason: "vanished" }]);
  });

  test("loses it to the session it took it from, in the background", async () => {
    const setting = new ClaimFixture(session("s", "t1", "tool"));
    await setting.holder.move({ wanted: client("web-1"), by: ANN });
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(session("s"));
  });

  test("loses it to the newest session before it, not to clients in between", async () => {
    const setting = new ClaimFixture(session("s0"));
    const wanted = [session("s"), client("web-2"), client("web-1")];
    for (const next of wanted) {
      const holder = setting.claim.kind === "session" ? { session: setting.claim.session } : {};
      const name = setting.claim.kind === "client" ? { client: setting.claim.clientId } : {};
      await setting.holder.move({ wanted: next, by: caller("x", "agent", { ...holder, ...name }) });
    }
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(session("s"));
  });

  test("loses it to the client that the terminal was created for, and then to the host", async () => {
    const setting = new ClaimFixture(client("web-1"), client("creator"));
    gone(setting, "creator");
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(client("creator"));
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(HOST_CLAIM);
  });

  test("loses it when it left before it got it", async () => {
    const setting = new ClaimFixture(session("s"));
    gone(setting, "web-1");
    await setting.holder.move({ wanted: client("web-1"), by: BOT });
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(session("s"));
  });

  test("loses nothing that somebody else has by then", async () => {
    const setting = new ClaimFixture(client("web-1"));
    gone(setting, "web-1");
    await setting.holder.move({ wanted: client("web-2"), by: BOB });
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS * 2);
    expect(setting.reasons).toEqual(["takeover"]);
  });

  test("gets it back from the host when it comes late", async () => {
    const setting = new ClaimFixture(client("tool-1"));
    gone(setting, "tool-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(HOST_CLAIM);
    back(setting, "tool-1");
    await setting.holder.move({ wanted: client("tool-1"), by: TOOL });
    expect(setting.reasons).toEqual(["vanished", "reclaim"]);
  });

  test("is dealt with again when that could not be recorded", async () => {
    const setting = new ClaimFixture(client("web-1"));
    setting.breakRecording();
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect([setting.claim, setting.failed]).toEqual([client("web-1"), [new Error("disk full")]]);
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(HOST_CLAIM);
  });

  test("changes nothing after the end", async () => {
    const setting = new ClaimFixture(client("web-1"));
    gone(setting, "web-1");
    setting.holder[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect([setting.recorded, setting.failed, vi.getTimerCount()]).toEqual([[], [], 0]);
  });

  test("loses nothing to the host when somebody takes over at the same time", async () => {
    const setting = new ClaimFixture(client("web-1"));
    gone(setting, "web-1");
    const open = setting.closeGate();
    const taken = setting.holder.move({ wanted: client("web-2"), by: BOB });
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    open();
    await taken;
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.reasons).toEqual(["takeover"]);
  });

  test("loses it to the session that the terminal was created for, in the background", async () => {
    const setting = new ClaimFixture(client("web-1"), session("s", "t1", "tool"));
    gone(setting, "web-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(session("s"));
  });

  test("does not get back what somebody else had since", async () => {
    const setting = new ClaimFixture(client("tool-1"));
    gone(setting, "tool-1");
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    await setting.holder.move({ wanted: client("web-1"), by: ANN });
    await setting.holder.move({ wanted: HOST_CLAIM, by: ANN });
    const late = setting.holder.move({ wanted: client("tool-1"), by: TOOL });
    await expect(late).rejects.toMatchObject({ code: "claim_held" });
  });

  test("long ago is forgotten", async () => {
    const setting = new ClaimFixture(session("s"));
    for (const name of ["web-1", ...Array.from({ length: 256 }, (_, index) => `c-${index}`)]) {
      gone(setting, name);
    }
    await setting.holder.move({ wanted: client("web-1"), by: BOT });
    await vi.advanceTimersByTimeAsync(CLIENT_GRACE_MS);
    expect(setting.claim).toEqual(client("web-1"));
  });
});
