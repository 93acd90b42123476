import { type Caller, type Claim, NacreError } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { claimOf, firstClaim, HOST_CLAIM, isHolder, moveClaim, narrows } from "./claim-rules.ts";
import { caller, client, session } from "./testing/callers.ts";

const chat = (name: string, claim: Claim): Claim =>
  claim.kind === "session" ? { ...claim, chat: name } : claim;

const ANN = caller("ann", "operator", { client: "web-1" });
const BOB = caller("bob", "operator", { client: "web-2" });
const BOT = caller("bot", "agent", { session: "s" });
const OTHER_BOT = caller("bot-2", "agent", { session: "s2" });
const AGENT_CLIENT = caller("bot-3", "agent", { client: "tool" });
const MANAGER = { ...AGENT_CLIENT, mayManage: true };
const VIEWER = caller("eve", "readOnly", { client: "web-1", session: "s" });

const NOW = Date.parse("2026-01-31T09:30:00.000Z");
const stateOf = (claim: Claim) => ({ claim, epoch: 4, since: "2026-01-31T09:00:00.000Z" });

const move = (claim: Claim, wanted: Claim, by: Caller, keptFor?: Claim) =>
  moveClaim({ current: stateOf(claim), wanted, by, now: NOW, keptFor });

/** The reason of the change, `no change`, or the code of the refusal. */
function verdict(claim: Claim, wanted: Claim, by: Caller, keptFor?: Claim): string {
  try {
    return move(claim, wanted, by, keptFor)?.reason ?? "no change";
  } catch (error) {
    if (error instanceof NacreError) return error.code;
    throw error;
  }
}

describe("the holder of a claim", () => {
  test.each<[string, Claim, Caller, boolean]>([
    ["a client is who asks through it", client("web-1"), ANN, true],
    ["a client is not another client", client("web-1"), BOB, false],
    ["a caller is all of its clients", client("ann"), ANN, true],
    ["a caller is not a client of another", client("ann"), BOB, false],
    ["a session is who acts for it", session("s", "t1"), BOT, true],
    ["a session is not another session", session("s"), OTHER_BOT, false],
    ["a session is not a client without one", session("s"), ANN, false],
    [
      "the host is nobody who calls itself so",
      HOST_CLAIM,
      caller("x", "agent", { client: "host" }),
      false,
    ],
  ])("of %s", (_, claim, by, holds) => {
    expect(isHolder(claim, by)).toBe(holds);
  });

  test.each([ANN, BOT, AGENT_CLIENT, caller("plain", "agent")])(
    "is who made it for itself: %o",
    (by) => {
      expect(isHolder(claimOf(by), by)).toBe(true);
    },
  );
});

describe("narrowing", () => {
  const full = chat("c", session("s", "t", "tool"));
  test.each<[Claim, Claim, boolean]>([
    [full, session("s"), true],
    [full, chat("c", session("s")), true],
    [full, chat("c", session("s", "t")), true],
    [full, session("s", "t", "tool"), true],
    [full, full, false],
    [full, session("s2"), false],
    [full, session("s", "t2"), false],
    [full, chat("c2", session("s")), false],
    [full, client("s"), false],
    [session("s"), full, false],
    [session("s", "t"), session("s", "t", "tool"), false],
    [client("a"), client("a"), false],
  ])("of %j to %j: %s", (current, wanted, expected) => {
    expect(narrows(current, wanted)).toBe(expected);
  });
});

test("a change has the next epoch, its time, its reason and its caller", () => {
  expect(move(client("web-1"), client("web-2"), ANN)).toEqual({
    state: { claim: client("web-2"), epoch: 5, since: "2026-01-31T09:30:00.000Z" },
    reason: "handover",
    by: "ann",
  });
});

test("the first claim has epoch 1", () => {
  expect(firstClaim(session("s"), NOW)).toEqual({
    state: { claim: session("s"), epoch: 1, since: "2026-01-31T09:30:00.000Z" },
    reason: "created",
  });
  expect(firstClaim(session("s"), NOW, ANN.id)).toMatchObject({ by: "ann" });
});

const WORKING = session("s", "t1", "tool");

describe("moving a claim", () => {
  test.each<[string, Claim, Claim, Caller, string]>([
    // the holder
    ["a client hands over to another", client("web-1"), client("web-2"), ANN, "handover"],
    ["a client hands over to a session", client("web-1"), session("s"), ANN, "handover"],
    ["a client gives up", client("web-1"), HOST_CLAIM, ANN, "handover"],
    ["an agent's client hands over", client("tool"), client("web-1"), AGENT_CLIENT, "handover"],
    ["a session hands over to a client", WORKING, client("web-1"), BOT, "handover"],
    ["a session hands over to another", WORKING, session("s2"), BOT, "handover"],
    ["a session goes to the background", WORKING, session("s"), BOT, "detach"],
    ["a session comes back", session("s"), session("s", "t2", "tool5"), BOT, "reclaim"],
    ["a session goes on to the next turn", WORKING, session("s", "t2"), BOT, "reclaim"],
    // people
    ["an operator takes over from a session", WORKING, client("web-1"), ANN, "takeover"],
    ["an operator takes over from a client", client("web-2"), client("web-1"), ANN, "takeover"],
    ["an operator takes over by its own name", client("web-2"), client("ann"), ANN, "takeover"],
    ["an operator takes over from the host", HOST_CLAIM, client("web-1"), ANN, "takeover"],
    ["an operator detaches", WORKING, session("s"), ANN, "detach"],
    ["a client that may manage detaches", WORKING, session("s"), MANAGER, "detach"],
    [
      "an operator gives away what it does not hold",
      client("web-2"),
      client("x"),
      ANN,
      "claim_held",
    ],
    ["an operator moves an agent's turn", WORKING, session("s", "t9"), ANN, "claim_held"],
    ["an operator widens an agent's claim", session("s"), WORKING, ANN, "claim_held"],
    // agents
    ["an agent takes a client's terminal", client("web-1"), session("s"), BOT, "claim_held"],
    ["an agent takes another agent's terminal", WORKING, session("s2"), OTHER_BOT, "claim_held"],
    ["an agent detaches another agent", WORKING, session("s"), OTHER_BOT, "claim_held"],
    ["an agent's client detaches", WORKING, session("s"), AGENT_CLIENT, "claim_held"],
    ["an agent takes over from the host", HOST_CLAIM, session("s"), BOT, "claim_held"],
    ["one that manages takes over", client("web-1"), client("tool"), MANAGER, "claim_held"],
    ["one that manages detaches to another", WORKING, session("s2"), MANAGER, "claim_held"],
    // no change
    ["the holder wants what it has", client("web-1"), client("web-1"), ANN, "no change"],
    ["others want what is", WORKING, { ...WORKING }, OTHER_BOT, "no change"],
    // readers
    ["one that only looks wants its own", client("web-1"), client("web-2"), VIEWER, "forbidden"],
    ["one that only looks detaches", WORKING, session("s"), VIEWER, "forbidden"],
    ["one that only looks wants no change", WORKING, WORKING, VIEWER, "forbidden"],
  ])("%s", (_, claim, wanted, by, expected) => {
    expect(verdict(claim, wanted, by)).toBe(expected);
  });

  test("a client gets back what the host keeps for it, and nobody else does", () => {
    const kept = client("tool");
    expect(verdict(HOST_CLAIM, kept, AGENT_CLIENT, kept)).toBe("reclaim");
    expect(verdict(HOST_CLAIM, client("x"), AGENT_CLIENT, kept)).toBe("claim_held");
    expect(verdict(HOST_CLAIM, session("s"), BOT, kept)).toBe("claim_held");
  });

  test("who wants it only if it is free is told to ask for it", () => {
    const current = { claim: client("web-2"), epoch: 1, since: "" };
    const take = () =>
      moveClaim({ current, wanted: client(ANN.id), by: ANN, now: 0, takeover: false });
    expect(take).toThrow("ask for control with `requestControl`");
  });

  test.each<[Claim, Caller, string]>([
    [client("web-1"), BOT, "client web-1 holds this terminal; ask for control"],
    [WORKING, OTHER_BOT, "session s, turn t1, tool call tool holds this terminal"],
    [HOST_CLAIM, BOT, "the host holds this terminal"],
    [client("web-2"), ANN, "client web-2 holds this terminal; take over for yourself first"],
  ])("a refusal names the holder %j and the next step", (claim, by, message) => {
    expect(() => move(claim, client("x"), by)).toThrow(message);
  });
});
