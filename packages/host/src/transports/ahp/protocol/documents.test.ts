import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Action } from "./action.ts";
import { ahpDocuments } from "./documents.ts";
import { shapeAction, shapeRoot, shapeState } from "./shaping.ts";
import type { TerminalInfo, TerminalState } from "./state.ts";
import type { StateDialect } from "./version.ts";

interface SchemaDocument {
  readonly $defs: Record<string, z.core.JSONSchema.JSONSchema>;
}

const documents = new Map(
  [...ahpDocuments()].map(([path, text]) => [path, JSON.parse(text) as SchemaDocument]),
);

/** Tells whether a value is what a definition of a document says, through JSON as on the wire. */
function fits(path: string, name: string, value: unknown): boolean {
  const document = documents.get(path);
  expect(document?.$defs).toHaveProperty(name);
  const schema = z.fromJSONSchema({ $defs: document?.$defs ?? {}, $ref: `#/$defs/${name}` });
  return schema.safeParse(JSON.parse(JSON.stringify(value))).success;
}

const names = { toWire: (clientId: string): string => clientId };
const terminal: TerminalState = {
  title: "bash",
  cwd: "file:///srv",
  cols: 80,
  rows: 24,
  content: [
    { type: "unclassified", value: "$ " },
    {
      type: "command",
      commandId: "1",
      commandLine: "false",
      output: "",
      timestamp: 1,
      isComplete: true,
      exitCode: 1,
      durationMs: 0.5,
    },
  ],
  lifecycle: { status: "exited", exitCode: 0 },
  claim: { kind: "session", session: "s:1", turnId: "t" },
  supportsCommandDetection: true,
  isPty: true,
};
const info: TerminalInfo = {
  resource: "ahp-terminal:/t",
  title: "bash",
  claim: { kind: "client", clientId: "c" },
  lifecycle: { status: "running" },
};
const root = { agents: [], activeSessions: 0, terminals: [info], _meta: { hostBuild: {} } };
const actions: readonly Action[] = [
  { type: "terminal/data", data: "x" },
  { type: "terminal/claimed", claim: terminal.claim },
  { type: "terminal/exited" },
  { type: "root/terminalsChanged", terminals: [info] },
];

const SUFFIXES: readonly (readonly [StateDialect, string])[] = [
  ["lifecycle", ""],
  ["isPty", "07"],
  ["exitCode", "02"],
];

/** The documented shapes that a state of each shape fits. */
const FITTING: Readonly<Record<StateDialect, readonly StateDialect[]>> = {
  lifecycle: ["lifecycle"],
  isPty: ["isPty"],
  exitCode: ["exitCode", "isPty"],
};

describe.each(SUFFIXES)("the shape %s", (shape, suffix) => {
  const state = shapeState(terminal, shape, names);

  test("is documented for terminals", () => {
    const fitting = SUFFIXES.filter(([, other]) =>
      fits("ahp/state.schema.json", `TerminalState${other}`, state),
    );
    // What is optional in 0.7 may be absent there, as it always is before.
    expect(fitting).toEqual(SUFFIXES.filter(([other]) => FITTING[shape].includes(other)));
  });

  test("is documented for the root and for snapshots", () => {
    const shaped = shapeRoot(root, shape, names);
    const snapshot = { resource: "ahp-root://", fromSeq: 1, state: shaped };
    expect(fits("ahp/state.schema.json", `RootState${suffix}`, shaped)).toBe(true);
    expect(fits("ahp/state.schema.json", `Snapshot${suffix}`, snapshot)).toBe(true);
    expect(fits("ahp/state.schema.json", `Snapshot${suffix}`, { ...snapshot, state })).toBe(true);
  });

  test.each(actions)("is documented for $type", (action) => {
    const shaped = shapeAction(action, shape, names);
    const envelope = { channel: "a:b", action: shaped, serverSeq: 2 };
    const origin = { clientId: "c", clientSeq: 1 };
    const name = `ActionEnvelope${suffix}`;
    expect(fits("ahp/actions.schema.json", name, envelope)).toBe(true);
    expect(fits("ahp/actions.schema.json", name, { ...envelope, origin })).toBe(true);
    expect(fits("ahp/actions.schema.json", name, { ...envelope, origin: null })).toBe(false);
  });
});

describe("commands", () => {
  const path = "ahp/commands.schema.json";
  const snapshot = {
    resource: "ahp-terminal:/t",
    fromSeq: 3,
    state: shapeState(terminal, "lifecycle", names),
  };
  const channels = [
    { kind: "snapshot", channel: "a:b", snapshot },
    { kind: "missing", channel: "a:c" },
  ];

  test.each([
    ["CreateTerminalParams", { channel: "a:b", claim: info.claim, further: 1 }],
    ["ClientAction", { type: "terminal/resized", cols: 80, rows: 24 }],
    ["InitializeResult", { protocolVersion: "1.0.0", serverSeq: 1, snapshots: [snapshot] }],
    ["SubscribeResult", { snapshot }],
    ["ReconnectResult", { type: "replay", actions: [], missing: [] }],
    ["ReconnectResult", { type: "snapshot", snapshots: [snapshot] }],
    ["ReconnectResult", { channels }],
    ["CreateTerminalResult", null],
    ["ListSessionsResult", { items: [] }],
  ])("%s fits %j", (name, value) => {
    expect(fits(path, name, value)).toBe(true);
  });

  test.each([
    ["CreateTerminalParams", { channel: "a:b" }],
    ["ClientAction", { type: "terminal/data", data: "" }],
    ["ReconnectResult", { type: "replay", actions: [] }],
  ])("%s does not fit %j", (name, value) => {
    expect(fits(path, name, value)).toBe(false);
  });
});

/** The properties anywhere in a value that nobody described; a reference is described where it leads. */
function undescribed(value: unknown, at = "#"): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties = {} } = value as { properties?: Readonly<Record<string, object>> };
  return [
    ...Object.entries(properties)
      .filter(([, property]) => !("description" in property || "$ref" in property))
      .map(([name]) => `${at}/${name}`),
    ...Object.entries(value).flatMap(([key, part]) => undescribed(part, `${at}/${key}`)),
  ];
}

test.each([...documents])("everything in %s is described", (_path, { $defs }) => {
  expect(undescribed($defs)).toEqual([]);
  expect(Object.values($defs).filter((schema) => !("description" in schema))).toEqual([]);
});
