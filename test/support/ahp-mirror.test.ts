import fc from "fast-check";
import { expect, test } from "vitest";
import { reduceTerminal as reduceOnHost } from "../../packages/host/src/transports/ahp/protocol/reducer.ts";
import { type Action, reduceTerminal, type TerminalState } from "./ahp-mirror.ts";

const commandId = fc.constantFrom("c1", "c2", "c3");
const data = fc.constantFrom("", "a", "b\r\n", "ü");
const exitCode = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined });

/** Leaves out fields that have no value, as the wire does. */
const action = (type: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) =>
  fc
    .record({ type: fc.constant(type), ...fields })
    .map(
      (whole) =>
        Object.fromEntries(
          Object.entries(whole).filter(([, value]) => value !== undefined),
        ) as unknown as Action,
    );

const anyAction = fc.oneof(
  action("terminal/data", { data }),
  action("terminal/input", { data }),
  action("terminal/resized", { cols: fc.nat(), rows: fc.nat() }),
  action("terminal/claimed", { claim: fc.record({ kind: fc.constant("client"), clientId: data }) }),
  action("terminal/titleChanged", { title: data }),
  action("terminal/cwdChanged", { cwd: data }),
  action("terminal/exited", { exitCode }),
  action("terminal/cleared"),
  action("terminal/commandDetectionAvailable"),
  action("terminal/commandExecuted", { commandId, commandLine: data, timestamp: fc.nat() }),
  action("terminal/commandFinished", { commandId, exitCode, durationMs: fc.nat() }),
  action("terminal/unheardOf", { data }),
);

const bare = { title: "t", content: [], claim: { kind: "client", clientId: "c" } };

test.each([
  ["exitCode", bare],
  ["lifecycle", { ...bare, lifecycle: { status: "running" } }],
] as const)(
  "clients and hosts make the same of any actions, in the shape of %s",
  (shape, first) => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 30 }), (actions) => {
        let [mine, theirs]: [TerminalState, TerminalState] = [first, first];
        for (const each of actions) {
          mine = reduceTerminal(mine, each);
          theirs = reduceOnHost(theirs as never, each, shape);
        }
        expect(mine).toEqual(theirs);
      }),
    );
  },
);
