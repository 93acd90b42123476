import { type Caller, type Claim, InputPolicy, NacreError } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { HOST_CLAIM } from "./claim-rules.ts";
import {
  isAllowed,
  mayResize,
  type PolicyQuestion,
  requireAllowed,
  type TerminalPermission,
} from "./input-policy.ts";
import { caller, client, session } from "./testing/callers.ts";

const CALLERS: Readonly<Record<string, Caller>> = {
  "operator, holds": caller("ann", "operator", { client: "ann-1" }),
  "agent, holds": caller("bot", "agent", { session: "s" }),
  operator: caller("bob", "operator", { client: "bob-1" }),
  "agent, created it": caller("bot-2", "agent", { session: "first" }),
  agent: caller("bot-3", "agent", { session: "s3" }),
  "only looks": caller("eve", "readOnly", { client: "ann-1", session: "s" }),
};

const HELD_BY: Partial<Record<string, Claim>> = {
  "operator, holds": client("ann-1"),
  "agent, holds": session("s"),
};

const ACTIONS: readonly TerminalPermission[] = [
  "observe",
  "requestControl",
  "input",
  "clear",
  "rename",
  "signal",
  "claim",
  "kill",
  "dispose",
];

/** y = allowed, h = `claim_held`, f = `forbidden`. */
const TABLE = `
policy | caller            | observe requestControl input clear rename signal claim kill dispose
open   | operator, holds   | y       y              y     y     y      y      y     y    y
open   | agent, holds      | y       y              y     y     y      y      y     y    y
open   | operator          | y       y              y     y     y      y      y     y    y
open   | agent, created it | y       y              y     y     y      y      h     h    h
open   | agent             | y       y              h     h     h      h      h     h    h
open   | only looks        | y       f              f     f     f      f      f     f    f
holder | operator, holds   | y       y              y     y     y      y      y     y    y
holder | agent, holds      | y       y              y     y     y      y      y     y    y
holder | operator          | y       y              h     h     h      h      y     y    y
holder | agent, created it | y       y              h     h     h      h      h     h    h
holder | agent             | y       y              h     h     h      h      h     h    h
holder | only looks        | y       f              f     f     f      f      f     f    f
`;

/** y = the size asked for counts, n = the caller is told the real size. */
const RESIZE_TABLE = `
policy | caller            | held-by-client held-by-session held-by-host
open   | operator, holds   | y              y               y
open   | agent, holds      | n              y               n
open   | operator          | n              y               y
open   | agent, created it | n              y               y
open   | agent             | n              n               n
open   | only looks        | n              n               n
holder | operator, holds   | y              n               n
holder | agent, holds      | n              y               n
holder | operator          | n              n               n
holder | agent, created it | n              n               n
holder | agent             | n              n               n
holder | only looks        | n              n               n
`;

interface Case {
  readonly policy: InputPolicy;
  readonly who: string;
  readonly column: string;
  readonly expected: string;
}

function casesOf(table: string): readonly Case[] {
  const rows = table
    .trim()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()));
  const columns = (rows[0]?.[2] ?? "").split(/\s+/);
  return rows.slice(1).flatMap(([policy, who, cells]) =>
    (cells ?? "").split(/\s+/).map((expected, index) => ({
      policy: InputPolicy.parse(policy),
      who: who ?? "",
      column: columns[index] ?? "",
      expected,
    })),
  );
}

interface Asked {
  readonly policy: InputPolicy;
  readonly who: string;
}

function question(claim: Claim, { policy, who }: Asked): PolicyQuestion {
  const by = CALLERS[who];
  if (by === undefined) throw new Error(`no caller is called ${who}`);
  return { by, claim, first: session("first"), policy };
}

function verdict(action: TerminalPermission, asked: PolicyQuestion): string {
  try {
    requireAllowed(action, asked);
    return "y";
  } catch (error) {
    if (error instanceof NacreError) return error.code === "forbidden" ? "f" : "h";
    throw error;
  }
}

test("the table names every caller, policy and action", () => {
  expect(casesOf(TABLE)).toHaveLength(Object.keys(CALLERS).length * 2 * ACTIONS.length);
  expect(casesOf(RESIZE_TABLE)).toHaveLength(Object.keys(CALLERS).length * 2 * 3);
  expect(new Set(casesOf(TABLE).map(({ column }) => column))).toEqual(new Set(ACTIONS));
});

describe.each([client("someone"), session("someone"), HOST_CLAIM])("when %j holds", (other) => {
  test.each(casesOf(TABLE))("policy $policy, $who, $column: $expected", (row) => {
    const asked = question(HELD_BY[row.who] ?? other, row);
    const action = ACTIONS.find((name) => name === row.column) ?? "observe";
    expect(verdict(action, asked)).toBe(row.expected);
    expect(isAllowed(action, asked)).toBe(row.expected === "y");
  });
});

const HOLDERS: Readonly<Record<string, Claim>> = {
  "held-by-client": client("ann-1"),
  "held-by-session": session("s"),
  "held-by-host": HOST_CLAIM,
};

describe("a size asked for", () => {
  test.each(casesOf(RESIZE_TABLE))("policy $policy, $who, $column: $expected", (row) => {
    const asked = question(HOLDERS[row.column] ?? HOST_CLAIM, row);
    expect(mayResize(asked)).toBe(row.expected === "y");
    expect(isAllowed("resize", asked)).toBe(row.expected === "y");
  });
});

describe("a refusal says what to do", () => {
  test.each<[string, InputPolicy, TerminalPermission, string]>([
    ["operator", "holder", "input", "client carl holds this terminal; take over to type into it"],
    [
      "agent",
      "open",
      "kill",
      "client carl holds this terminal; ask for control with `requestControl` to kill its program",
    ],
    ["agent", "open", "resize", "ask for control with `requestControl` to resize it"],
    ["only looks", "open", "rename", "caller eve may only look, not rename it"],
  ])("to %s under %s that wants to %s", (who, policy, action, message) => {
    expect(() => requireAllowed(action, question(client("carl"), { policy, who }))).toThrow(
      message,
    );
  });
});
