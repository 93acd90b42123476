import type { Caller, Claim, ClaimState } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { ClaimHolder } from "./claim-holder.ts";
import { type ClaimChange, claimOf, HOST_CLAIM, isHolder, narrows } from "./claim-rules.ts";
import { caller, client, session } from "./testing/callers.ts";

const CALLERS: readonly Caller[] = [
  caller("ann", "operator", { client: "web-1" }),
  caller("bob", "operator", { client: "web-2" }),
  caller("bot", "agent", { session: "s" }),
  caller("bot-2", "agent", { session: "s2" }),
  caller("tool", "agent", { client: "tool-1" }),
];
const FIRST = session("s");
const CLAIMS = [
  ...["web-1", "web-2", "tool-1"].map(client),
  ...["s", "s2"].flatMap((name) => [session(name), session(name, "t1"), session(name, "t1", "x")]),
];

const step = fc
  .record({
    who: fc.constantFrom(...CALLERS),
    any: fc.constantFrom(...CLAIMS),
    isOwn: fc.boolean(),
    what: fc.constantFrom("move", "move", "move", "handBack", "request", "grant", "leave", "time"),
    fails: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
    waits: fc.boolean(),
  })
  .map(({ any, isOwn, ...rest }) => ({ ...rest, wanted: isOwn ? claimOf(rest.who) : any }));

/** Lets everything happen that waits for nothing. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Whether somebody made the change that the rules let, given the claim before. */
function isLawful({ reason, by, state }: ClaimChange, before: Claim = FIRST): boolean {
  const who = CALLERS.find(({ id }) => id === by);
  if (who === undefined) {
    return reason === "vanished" || (reason === "reclaim" && before === HOST_CLAIM);
  }
  const held = isHolder(before, who);
  switch (reason) {
    case "handover":
      return held;
    case "detach":
      return (held || who.scope === "operator") && narrows(before, state.claim);
    case "takeover":
      return who.scope === "operator" && isHolder(state.claim, who);
    case "reclaim":
      return held || (before === HOST_CLAIM && isHolder(state.claim, who));
    case "granted":
      return held || who.scope === "operator";
    case "created":
    case "vanished":
      return false;
  }
}

/** Longer than any timer of a claim. */
const ALL_TIMERS_MS = 48 * 3_600_000;

/** So many changes at least must have come about, or the test would show nothing. */
const MIN_CHANGES = 500;

test("whatever is tried at the same time, there is one holder per epoch, and each was recorded first", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 5, maxLength: 30, size: "max" }),
      async (scheduler, steps) => {
        const recorded: ClaimChange[] = [];
        const counted: ClaimState[] = [];
        const clock = new ManualClock();
        let failsNext = false;
        const holder = new ClaimHolder({
          state: { claim: FIRST, epoch: 1, since: "2026-01-31T09:00:00.000Z" },
          clock,
          log: {
            record: async (change) => {
              const fails = failsNext;
              await scheduler.schedule(Promise.resolve());
              if (fails) throw new Error("disk full");
              recorded.push(change);
            },
            changed: (change) => change && counted.push(change.state),
            failed: () => undefined,
          },
        });
        const tries: Promise<unknown>[] = [];
        for (const { who, wanted, what, fails, waits } of steps) {
          failsNext = fails;
          if (what === "move") tries.push(holder.move({ wanted, by: who }));
          if (what === "handBack") tries.push(holder.handBack({ by: who }));
          if (what === "leave" && who.clientId !== undefined) holder.clientGone(who.clientId);
          if (what === "time") clock.advance(ALL_TIMERS_MS);
          const requestId = holder.requests[0]?.requestId ?? "none";
          if (what === "grant") tries.push(holder.answer({ requestId, by: who, grant: true }));
          if (what === "request") {
            tries.push((async () => holder.requestControl({ by: who, deadlineMs: 1 }))());
          }
          for (const one of tries) one.catch(() => undefined);
          if (!waits) continue;
          await pause();
          await scheduler.waitAll();
          await pause();
        }
        await scheduler.waitFor(Promise.allSettled(tries));
        await pause();
        await scheduler.waitFor(holder.settled());
        expect(counted).toEqual(recorded.map(({ state }) => state));
        expect(counted.map(({ epoch }) => epoch)).toEqual(counted.map((_, index) => index + 2));
        expect(
          recorded.filter((change, index) => !isLawful(change, counted[index - 1]?.claim)),
        ).toEqual([]);
        changes += counted.length;
        expect(holder.state.epoch).toBe(counted.length + 1);
      },
    ),
    { numRuns: 1000 },
  );
  expect(changes).toBeGreaterThan(MIN_CHANGES);
});
