import { type Caller, CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { TICKET_MS, Tickets } from "./tickets.ts";

const BOB: Caller = { id: CallerId.parse("bob"), scope: "readOnly" };
const EVE: Caller = { id: CallerId.parse("eve"), scope: "operator" };

function makeTickets() {
  const clock = new ManualClock();
  return { clock, tickets: new Tickets(clock) };
}

test("a ticket stands once for the caller that asked, at its path", () => {
  const { tickets, clock } = makeTickets();
  const { ticket, expiresAt } = tickets.issue(BOB, { path: "/a" });
  expect(Date.parse(expiresAt) - clock.now()).toBe(TICKET_MS);
  expect(tickets.redeem(ticket, "/a")).toEqual({ caller: BOB, credential: { name: "bob" } });
  expect(tickets.redeem(ticket, "/a")).toBeUndefined();
});

test("a ticket shown at another path is used up", () => {
  const { tickets } = makeTickets();
  const { ticket } = tickets.issue(BOB, { path: "/a" });
  expect(tickets.redeem(ticket, "/a/")).toBeUndefined();
  expect(tickets.redeem(ticket, "/a")).toBeUndefined();
});

test("a ticket lives to the last millisecond of its time and no longer", () => {
  const { tickets, clock } = makeTickets();
  const [early, late] = [tickets.issue(BOB, { path: "/a" }), tickets.issue(BOB, { path: "/a" })];
  clock.advance(TICKET_MS - 1);
  expect(tickets.redeem(early.ticket, "/a")).toBeDefined();
  clock.advance(1);
  expect(tickets.redeem(late.ticket, "/a")).toBeUndefined();
});

test("what is no ticket stands for nobody", () => {
  const { tickets } = makeTickets();
  const { ticket } = tickets.issue(BOB, { path: "/a" });
  const wrong = ["", "ticket_", `${ticket}x`, ticket.toUpperCase(), ticket.slice(0, -1)];
  expect(wrong.map((other) => tickets.redeem(other, "/a"))).toEqual(wrong.map(() => undefined));
});

test("tickets of a lost credential are gone, others' are not", () => {
  const { tickets } = makeTickets();
  const [bobs, eves] = [tickets.issue(BOB, { path: "/a" }), tickets.issue(EVE, { path: "/a" })];
  tickets.forget("bob");
  expect(tickets.redeem(bobs.ticket, "/a")).toBeUndefined();
  expect(tickets.redeem(eves.ticket, "/a")?.caller).toEqual(EVE);
});

test("who asks for very many loses the oldest of its own, nobody else's", () => {
  const { tickets } = makeTickets();
  const eves = tickets.issue(EVE, { path: "/a" });
  const bobs = Array.from({ length: 1000 }, () => tickets.issue(BOB, { path: "/a" }));
  expect(tickets.redeem(bobs[0]!.ticket, "/a")).toBeUndefined();
  expect(tickets.redeem(bobs.at(-1)!.ticket, "/a")).toBeDefined();
  expect(tickets.redeem(eves.ticket, "/a")).toBeDefined();
});

test("a clock that jumps makes no ticket last longer or less", () => {
  const { clock, tickets } = makeTickets();
  const [early, late] = [tickets.issue(BOB, { path: "/a" }), tickets.issue(BOB, { path: "/a" })];
  clock.jump(365 * 24 * 3_600_000);
  expect(tickets.redeem(early.ticket, "/a")).toBeDefined();
  clock.jump(-2 * 365 * 24 * 3_600_000);
  clock.advance(31_000);
  expect(tickets.redeem(late.ticket, "/a")).toBeUndefined();
});
