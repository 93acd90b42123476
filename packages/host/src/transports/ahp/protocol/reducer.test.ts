import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TerminalAction } from "./action.ts";
import { reduceTerminalActions, reduceRoot, reduceTerminal } from "./reducer.ts";
import type { TerminalContentPart, TerminalState } from "./state.ts";

const EMPTY: TerminalState = {
  title: "bash",
  content: [],
  lifecycle: { status: "running" },
  claim: { kind: "client", clientId: "c" },
};

const after = (...actions: readonly { readonly type: string }[]): TerminalState =>
  reduceTerminalActions(EMPTY, actions, "lifecycle");
const data = (text: string): TerminalAction => ({ type: "terminal/data", data: text });
const begin = (commandId: string): TerminalAction => ({
  type: "terminal/commandExecuted",
  commandId,
  commandLine: `run ${commandId}`,
  timestamp: 1,
});
const finish = (commandId: string, exitCode?: number): TerminalAction => ({
  type: "terminal/commandFinished",
  commandId,
  ...(exitCode === undefined ? {} : { exitCode, durationMs: 5 }),
});
const plain = (value: string): TerminalContentPart => ({ type: "unclassified", value });
const command = (commandId: string, output: string, end: object = {}): object => ({
  type: "command",
  commandId,
  commandLine: `run ${commandId}`,
  output,
  timestamp: 1,
  isComplete: false,
  ...end,
});

describe("data", () => {
  test("begin a part where there is none, and go on with the last one", () => {
    expect(after(data("a")).content).toEqual([plain("a")]);
    expect(after(data("a"), data("b")).content).toEqual([plain("ab")]);
  });

  test("may be empty", () => {
    expect(after(data("")).content).toEqual([plain("")]);
    expect(after(data("a"), data("")).content).toEqual([plain("a")]);
  });

  test("belong to the command that runs", () => {
    expect(after(data("$ "), begin("1"), data("x"), data("y")).content).toEqual([
      plain("$ "),
      command("1", "xy"),
    ]);
  });

  test("begin a new part after a command that has ended", () => {
    expect(after(begin("1"), finish("1", 0), data("$ ")).content).toEqual([
      command("1", "", { isComplete: true, exitCode: 0, durationMs: 5 }),
      plain("$ "),
    ]);
  });

  test("go to the last part only, also where two commands are open", () => {
    expect(after(begin("1"), begin("2"), data("x")).content).toEqual([
      command("1", ""),
      command("2", "x"),
    ]);
  });
});

describe("a command", () => {
  test("tells that commands are told", () => {
    expect(after(begin("1")).supportsCommandDetection).toBe(true);
    expect(after({ type: "terminal/commandDetectionAvailable" })).toEqual({
      ...EMPTY,
      supportsCommandDetection: true,
    });
  });

  test("ends wherever it stands", () => {
    expect(after(begin("1"), begin("2"), finish("1", 3), data("x")).content).toEqual([
      command("1", "", { isComplete: true, exitCode: 3, durationMs: 5 }),
      command("2", "x"),
    ]);
  });

  test("ends without a code where none is known, and the last end counts", () => {
    const [part] = after(begin("1"), finish("1", 3), finish("1")).content;
    expect(part).toStrictEqual(command("1", "", { isComplete: true }));
  });

  test("that is not known ends nothing", () => {
    const state = after(begin("1"));
    expect(reduceTerminal(state, finish("2", 0), "lifecycle")).toBe(state);
  });

  test("is gone after a clear: what it shows then belongs to none", () => {
    const cleared = { type: "terminal/cleared" };
    expect(after(begin("1"), cleared, data("x"), finish("1", 0)).content).toEqual([plain("x")]);
  });
});

describe("the end of the program", () => {
  const exited = (exitCode?: number) => ({
    type: "terminal/exited",
    ...(exitCode === undefined ? {} : { exitCode }),
  });

  test("has a code where it is known", () => {
    expect(after(exited(2)).lifecycle).toStrictEqual({ status: "exited", exitCode: 2 });
    expect(after(exited()).lifecycle).toStrictEqual({ status: "exited" });
  });

  test.each(["exitCode", "isPty"] as const)("is only a code in the shape %s", (shape) => {
    const { lifecycle: _lifecycle, ...old } = EMPTY;
    const ended = reduceTerminal(old, exited(0), shape);
    expect(ended).toStrictEqual({ ...old, exitCode: 0 });
    expect(reduceTerminal(ended, exited(), shape)).toStrictEqual(old);
  });
});

describe("the facts", () => {
  test.each([
    [
      { type: "terminal/resized", cols: 120, rows: 30 },
      { cols: 120, rows: 30 },
    ],
    [{ type: "terminal/titleChanged", title: "build" }, { title: "build" }],
    [{ type: "terminal/cwdChanged", cwd: "file:///srv" }, { cwd: "file:///srv" }],
    [
      { type: "terminal/claimed", claim: { kind: "session", session: "s:1" } },
      { claim: { kind: "session", session: "s:1" } },
    ],
    [{ type: "terminal/cleared" }, { content: [] }],
  ])("after %j are %j", (action, changed) => {
    const state = after(data("x"));
    expect(reduceTerminal(state, action, "lifecycle")).toStrictEqual({ ...state, ...changed });
  });

  test.each([{ type: "terminal/input", data: "ls\r" }, { type: "x-other" }, { type: "" }])(
    "stay the same object after %j",
    (action) => {
      expect(reduceTerminal(EMPTY, action, "lifecycle")).toBe(EMPTY);
    },
  );
});

const anyAction = fc.oneof(
  fc.string().map(data),
  fc.constantFrom("1", "2", "3").map(begin),
  fc
    .tuple(fc.constantFrom("1", "2", "3"), fc.option(fc.nat()))
    .map(([id, code]) => finish(id, code ?? undefined)),
  fc.constant<TerminalAction>({ type: "terminal/cleared" }),
  fc.string().map((title): TerminalAction => ({ type: "terminal/titleChanged", title })),
);

test("many actions at once are the same as one after the other, and change nothing they got", () => {
  fc.assert(
    fc.property(fc.array(anyAction), fc.array(anyAction), (first, second) => {
      const start = after(...first);
      const copy = structuredClone(start);
      const single = second.reduce(
        (state, action) => reduceTerminal(state, action, "lifecycle"),
        start,
      );
      expect(reduceTerminalActions(start, second, "lifecycle")).toStrictEqual(single);
      expect(start).toStrictEqual(copy);
    }),
  );
});

describe("the root", () => {
  const root = { agents: [], terminals: [], _meta: { a: 1 } };

  test("gets a whole new list", () => {
    const terminals = [{ resource: "ahp-terminal:/t", title: "t" }];
    expect(
      reduceRoot(root, { type: "root/terminalsChanged", terminals } as { type: string }),
    ).toEqual({
      ...root,
      terminals,
    });
  });

  test.each(["root/configChanged", "x-other"])("stays the same after %s", (type) => {
    expect(reduceRoot(root, { type })).toBe(root);
  });

  test("A-F9: follows every action that hosts with agents tell", () => {
    const told = (state: object, action: object & { type: string }): object =>
      reduceRoot(state, action);
    const agents = [{ provider: "a" }];
    expect(told(root, { type: "root/agentsChanged", agents } as never)).toEqual({
      ...root,
      agents,
    });
    const changed = { type: "root/activeSessionsChanged", activeSessions: 2 };
    expect(told(root, changed)).toEqual({ ...root, activeSessions: 2 });
    const configured = { ...root, config: { schema: {}, values: { a: 1, b: 2 } } };
    const config = { type: "root/configChanged", config: { b: 3 } };
    expect(told(configured, config)).toMatchObject({
      config: { schema: {}, values: { a: 1, b: 3 } },
    });
    expect(told(configured, { ...config, replace: true } as never)).toHaveProperty(
      "config.values",
      { b: 3 },
    );
  });
});
