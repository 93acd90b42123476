import { describe, expect, test } from "vitest";
import type { Action } from "./action.ts";
import { reduceTerminal } from "./reducer.ts";
import { shapeAction, shapeInfo, shapeRoot, shapeState } from "./shaping.ts";
import type { RootState, TerminalInfo, TerminalState } from "./state.ts";
import type { StateDialect } from "./version.ts";

const SHAPES: readonly StateDialect[] = ["exitCode", "isPty", "lifecycle"];
const names = { toWire: (clientId: string): string => clientId.replace("me#", "") };

const state: TerminalState = {
  title: "bash",
  cwd: "file:///srv",
  cols: 80,
  rows: 24,
  content: [{ type: "unclassified", value: "$ " }],
  lifecycle: { status: "exited", exitCode: 3 },
  claim: { kind: "client", clientId: "me#win" },
  supportsCommandDetection: true,
  isPty: true,
};
const info: TerminalInfo = {
  resource: "ahp-terminal:/t",
  title: "bash",
  claim: { kind: "session", session: "s:1", turnId: "t", toolCallId: "c" },
  lifecycle: { status: "running" },
};

describe("a terminal", () => {
  const { lifecycle, isPty, claim: _claim, ...rest } = state;
  const told = { ...rest, claim: { kind: "client", clientId: "win" } };

  test.each([
    ["exitCode", { ...told, exitCode: 3 }],
    ["isPty", { ...told, exitCode: 3, isPty }],
    ["lifecycle", { ...told, lifecycle, isPty }],
  ] as const)("in the shape %s", (shape, expected) => {
    expect(shapeState(state, shape, names)).toStrictEqual(expected);
  });

  test.each([
    ["exitCode", {}],
    ["lifecycle", { lifecycle: { status: "exited" } }],
  ] as const)("that ended without a code, in the shape %s", (shape, ending) => {
    const bare: TerminalState = {
      title: "t",
      content: [],
      claim: { kind: "client", clientId: "other" },
      lifecycle: { status: "exited" },
    };
    const { lifecycle: _lifecycle, ...expected } = bare;
    expect(shapeState(bare, shape, names)).toStrictEqual({ ...expected, ...ending });
  });

  test.each(SHAPES)("has no key without a value in the shape %s", (shape) => {
    const holes = { ...state, cwd: undefined, cols: undefined, rows: undefined, isPty: undefined };
    expect(Object.values(shapeState(holes, shape, names))).not.toContain(undefined);
  });
});

describe("a claim of a session", () => {
  const { claim, lifecycle } = info;

  test("names its chat since 0.9: its own, or the session", () => {
    expect(shapeInfo(info, "lifecycle", names)).toStrictEqual({
      ...info,
      claim: { ...claim, chat: "s:1" },
      lifecycle,
    });
    const chat = { ...info, claim: { kind: "session" as const, session: "s:1", chat: "c:1" } };
    expect(shapeInfo(chat, "lifecycle", names)).toStrictEqual(chat);
  });

  test.each(["exitCode", "isPty"] as const)("has none in the shape %s", (shape) => {
    const chat = { ...info, claim: { kind: "session" as const, session: "s:1", chat: "c:1" } };
    expect(shapeInfo(chat, shape, names)).toStrictEqual({
      resource: info.resource,
      title: info.title,
      claim: { kind: "session", session: "s:1" },
    });
  });
});

describe("an action", () => {
  test.each(SHAPES)("with a claim is spelled as the state has it in the shape %s", (shape) => {
    const claimed: Action = { type: "terminal/claimed", claim: info.claim };
    const told = reduceTerminal(
      shapeState(state, shape, names),
      shapeAction(claimed, shape, names),
      shape,
    );
    expect(told).toStrictEqual(shapeState({ ...state, claim: info.claim }, shape, names));
  });

  test.each(SHAPES)("that ends the program leads to the state of the shape %s", (shape) => {
    const running: TerminalState = { ...state, lifecycle: { status: "running" } };
    const exited: Action = { type: "terminal/exited", exitCode: 3 };
    const told = reduceTerminal(
      shapeState(running, shape, names),
      shapeAction(exited, shape, names),
      shape,
    );
    expect(told).toEqual(shapeState(state, shape, names));
  });

  test.each(SHAPES)("with the list is spelled as the root has it in the shape %s", (shape) => {
    const changed: Action = { type: "root/terminalsChanged", terminals: [info] };
    const { terminals } = shapeRoot({ agents: [], terminals: [info] }, shape, names);
    expect(shapeAction(changed, shape, names)).toStrictEqual({ ...changed, terminals });
  });

  test("of another kind stays the same object", () => {
    const action: Action = { type: "terminal/data", data: "x" };
    expect(shapeAction(action, "exitCode", names)).toBe(action);
  });
});

describe("the root", () => {
  const root: RootState = { agents: [], activeSessions: 0, terminals: [info], _meta: { a: 1 } };

  test("says which build it is where that is known", () => {
    expect(shapeRoot(root, "exitCode", names)).not.toHaveProperty("_meta");
    expect(shapeRoot(root, "isPty", names)).toHaveProperty("_meta", { a: 1 });
  });

  test("has nothing that it does not know", () => {
    expect(shapeRoot({ agents: [] }, "lifecycle", names)).toStrictEqual({ agents: [] });
  });
});
