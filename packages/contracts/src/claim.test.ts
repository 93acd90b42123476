import { expect, test } from "vitest";
import { Claim, ClaimState } from "./claim.ts";

test.each([
  { kind: "client", clientId: "ann" },
  { kind: "session", session: "agent:/1" },
  { kind: "session", session: "agent:/1", turnId: "2", toolCallId: "3" },
  { kind: "session", session: "agent:/1", turnId: "2" },
  { kind: "session", session: "agent:/1", toolCallId: "3" },
  { kind: "session", session: "agent:/1", chat: "chat:7" },
  { kind: "client", clientId: "Ann's second window ✓" },
])("%j is a claim", (claim) => {
  expect(Claim.parse(claim)).toEqual(claim);
});

test.each([
  {},
  { kind: "client" },
  { kind: "nobody" },
  { kind: "client", clientId: "ann", session: "agent:/1" },
  { kind: "session", clientId: "ann" },
  { kind: "session", session: "agent:/1", chat: "" },
  { kind: "client", clientId: "" },
  { kind: "client", clientId: "\u001b[2J" },
  { kind: "client", clientId: "x".repeat(257) },
])("%j is no claim", (claim) => {
  expect(Claim.safeParse(claim).success).toBe(false);
});

test("the epoch of a claim begins at 1", () => {
  const state = { claim: { kind: "client", clientId: "ann" }, since: "2026-01-31T09:30:00Z" };
  expect(ClaimState.safeParse({ ...state, epoch: 1 }).success).toBe(true);
  expect(ClaimState.safeParse({ ...state, epoch: 0 }).success).toBe(false);
});
