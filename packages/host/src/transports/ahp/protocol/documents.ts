// Generates the JSON Schemas of this wire. Pure, so that a check can compare without writing.
import { z } from "zod";
import { ActionOrigin, ClientAction, RootAction, TerminalAction } from "./action.ts";
import * as params from "./params.ts";
import * as results from "./results.ts";
import { SHAPED_SCHEMAS } from "./shaped-schemas.ts";
import { CommandPart, TerminalContentPart, TerminalLifecycle, UnclassifiedPart } from "./state.ts";
import type { StateDialect } from "./version.ts";

type Schemas = Readonly<Record<string, z.ZodType>>;

/** The first version of each older shape. */
const SUFFIXES: Readonly<Record<StateDialect, string>> = {
  lifecycle: "",
  isPty: "07",
  exitCode: "02",
};

const NEWEST = SHAPED_SCHEMAS.lifecycle;

/** Under its name and the suffix of the shape. */
const inEveryShape = (names: readonly (keyof typeof NEWEST)[]): Schemas =>
  Object.fromEntries(
    (["lifecycle", "isPty", "exitCode"] as const).flatMap((shape) =>
      names.map((name) => [name + SUFFIXES[shape], SHAPED_SCHEMAS[shape][name]]),
    ),
  );

/** The same in every shape. */
const CONTENT = { TerminalLifecycle, TerminalContentPart, UnclassifiedPart, CommandPart };

const SUFFIX_WORDS =
  "Names with `07` are for versions 0.7 and 0.8, those with `02` for 0.2 to 0.6, the others for 0.9 and later.";

interface DocumentSpec {
  readonly title: string;
  readonly description: string;
  readonly schemas: Schemas;
  /** `output`: exactly what the host sends; `input`: what clients send, with unknown keys allowed. */
  readonly io: "input" | "output";
}

function renderDocument({ title, description, schemas, io }: DocumentSpec): string {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { uri: (id) => `#/$defs/${id}`, io }).schemas;
  const $defs = Object.fromEntries(
    Object.keys(schemas).map((name) => {
      const { $schema: _dialect, $id: _address, ...definition } = made[name] ?? {};
      return [name, definition];
    }),
  );
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, title, description, $defs }, undefined, 2)}\n`;
}

/** By path below `docs/reference`; deterministic. */
export function ahpDocuments(): ReadonlyMap<string, string> {
  return new Map([
    [
      "ahp/state.schema.json",
      renderDocument({
        title: "States of the Agent Host Protocol",
        description: `What snapshots have, as this host sends it. ${SUFFIX_WORDS}`,
        schemas: {
          ...CONTENT,
          ...inEveryShape([
            "TerminalClaim",
            "TerminalInfo",
            "TerminalState",
            "RootState",
            "Snapshot",
          ]),
        },
        io: "output",
      }),
    ],
    [
      "ahp/actions.schema.json",
      renderDocument({
        title: "Actions of the Agent Host Protocol",
        description: `What is told on channels, as this host sends it. ${SUFFIX_WORDS}`,
        schemas: {
          TerminalLifecycle,
          ActionOrigin,
          ...actionsByName(),
          ...inEveryShape(["TerminalClaim", "TerminalInfo", "Action", "ActionEnvelope"]),
        },
        io: "output",
      }),
    ],
    [
      "ahp/commands.schema.json",
      renderDocument({
        title: "Requests and notifications of the Agent Host Protocol",
        description:
          "What clients send, by method, with what they may dispatch, and what they are answered in versions 0.9 and later.",
        schemas: {
          ...CONTENT,
          ActionOrigin,
          ...NEWEST,
          ...params.PARAMS,
          ClientAction,
          ...results.RESULTS,
        },
        io: "input",
      }),
    ],
  ]);
}

/** `terminal/data` becomes `TerminalData`; actions with a claim differ by shape and are left to `Action`. */
const actionsByName = (): Schemas =>
  Object.fromEntries(
    [...TerminalAction.options, ...RootAction.options].flatMap((schema) => {
      const type = schema.shape.type.value;
      if (type === "terminal/claimed" || type === "root/terminalsChanged") return [];
      const name = type.replaceAll(/(?:^|\/)[a-z]/g, (start) =>
        start.replace("/", "").toUpperCase(),
      );
      return [[name, schema]];
    }),
  );
