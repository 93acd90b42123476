import { describe, expect, test } from "vitest";
import { CLIENT_ACTIONS, parseClientAction } from "./action.ts";

test("clients may do six things", () => {
  expect([...CLIENT_ACTIONS].toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
    "root/configChanged",
    "terminal/claimed",
    "terminal/cleared",
    "terminal/input",
    "terminal/resized",
    "terminal/titleChanged",
  ]);
});

describe("what a client dispatches", () => {
  test.each([
    [{ type: "terminal/input", data: "" }],
    [{ type: "terminal/resized", cols: 1, rows: 500 }],
    [{ type: "terminal/claimed", claim: { kind: "client", clientId: "b" } }],
    [{ type: "terminal/claimed", claim: { kind: "session", session: "s:1" } }],
    [{ type: "terminal/titleChanged", title: "build" }],
    [{ type: "terminal/cleared" }],
    [{ type: "root/configChanged", config: { a: 1 } }],
  ])("%j is read", (action) => {
    expect(parseClientAction(action)).toEqual(action);
  });

  test("may name its terminal, as it did long ago", () => {
    const action = { type: "terminal/input", data: "ls\r", terminal: "ahp-terminal:/t" };
    expect(parseClientAction(action)).toEqual({ type: "terminal/input", data: "ls\r" });
  });

  test.each([
    "terminal/data",
    "terminal/exited",
    "terminal/cwdChanged",
    "terminal/commandDetectionAvailable",
    "terminal/commandExecuted",
    "terminal/commandFinished",
    "root/terminalsChanged",
  ])("cannot be %s", (type) => {
    expect(() => parseClientAction({ type })).toThrow(`${type} only comes from the host`);
  });

  test("cannot be of a type that is not known", () => {
    expect(() => parseClientAction({ type: "x-a/b" })).toThrow("x-a/b is not known here");
    expect(() => parseClientAction({ type: "\u001b[2J" })).toThrow("this type is not known here");
  });

  test.each([
    [undefined, "action.type"],
    [null, "action"],
    [{}, "action.type"],
    [{ type: 7 }, "action.type"],
    [{ type: "terminal/input" }, "action.data"],
    [{ type: "terminal/resized", cols: 80 }, "action.rows"],
    [{ type: "terminal/resized", cols: 0, rows: 24 }, "action.cols"],
    [{ type: "terminal/resized", cols: 80.5, rows: 24 }, "action.cols"],
    [{ type: "terminal/claimed", claim: { kind: "client" } }, "action.claim.clientId"],
    [{ type: "terminal/titleChanged", title: null }, "action.title"],
  ])("%j names %s", (action, field) => {
    expect(() => parseClientAction(action)).toThrow(
      expect.objectContaining({ code: -32602, data: expect.objectContaining({ field }) }),
    );
  });
});
