// Generates docs/reference. Pure, so that a check can compare without writing.
import { ERRORS } from "./error.ts";
import { type JsonObject, jsonSchemasByName, referencesIn } from "./json-schemas.ts";
import { openApiDocument } from "./openapi.ts";

const DEFS = "#/$defs/";

const textOf = (document: JsonObject) => `${JSON.stringify(document, undefined, 2)}\n`;

/** Includes the schema itself only where it is recursive. */
function reachedFrom(name: string, schemas: ReadonlyMap<string, JsonObject>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const reference of referencesIn(schemas.get(next) ?? {}, DEFS)) {
      if (!reached.has(reference)) waiting.push(reference);
      reached.add(reference);
    }
  }
  return reached;
}

/** One JSON Schema per exported schema, each self-contained. */
function schemaFiles(): readonly (readonly [string, string])[] {
  const schemas = jsonSchemasByName(DEFS);
  return [...schemas].map(([name, schema]) => {
    const names = [...reachedFrom(name, schemas)].toSorted();
    const $defs = Object.fromEntries(names.map((key) => [key, schemas.get(key) ?? {}]));
    const document = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: name,
      ...schema,
      ...(names.length === 0 ? {} : { $defs }),
    };
    return [`schemas/${name}.json`, textOf(document)];
  });
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { meaning, nextStep, httpStatus, jsonRpcCode, fileClass, cliExitCode }]) =>
      `| \`${code}\` | ${meaning} | ${nextStep} | ${httpStatus} | ${jsonRpcCode} | \`${fileClass}\` | ${cliExitCode} |`,
  );
  return `${[
    "<!-- Generated from packages/contracts/src/error.ts by `npm run generate`; do not edit. -->",
    "",
    "# Errors",
    "",
    "A failure you can act on has one code, and each wire spells it in its own way.",
    "",
    "| Code | Meaning | What to do | HTTP status | JSON-RPC code | Control file class | CLI exit code |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n")}\n`;
}

/** Every generated file by its path below `docs/reference`; deterministic. */
export function generateReference(): ReadonlyMap<string, string> {
  return new Map([
    ["errors.md", errorsPage()],
    ["openapi.json", textOf(openApiDocument())],
    ...schemaFiles(),
  ]);
}
