import { z } from "zod";
import * as contracts from "./index.ts";

/** A JSON value that is a schema or a part of a document around schemas. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; of a schema it holds the keywords. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Parses what a library made, so that only JSON goes on. */
const jsonObjectOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Tells an object from the other JSON values. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) =>
  left < right ? -1 : 1;

/** Every schema that the package exports, by the name of its export, in the order of names. */
export const NAMED_SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(contracts)
    .flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []))
    .toSorted(byName),
);

/** A schema that becomes a part of a document has neither dialect nor address of its own. */
const withoutAddress = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id"));

/** Scalars are written out where they are used; what has an inside is written once and referred to. */
const hasInside = (schema: z.ZodType) =>
  schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion;

/** The JSON Schemas of all named schemas, which refer to each other by `refPrefix` and name. */
export function jsonSchemasByName(refPrefix: string): ReadonlyMap<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of NAMED_SCHEMAS) if (hasInside(schema)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => refPrefix + id });
  return new Map(
    [...NAMED_SCHEMAS].map(([name, schema]) => [
      name,
      withoutAddress(jsonObjectOf(schemas[name] ?? z.toJSONSchema(schema))),
    ]),
  );
}

/** The names that a JSON value refers to by `refPrefix`, directly. */
export function referencesIn(value: Json, refPrefix: string): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return new Set();
  const own =
    isJsonObject(value) && typeof value["$ref"] === "string" && value["$ref"].startsWith(refPrefix)
      ? [value["$ref"].slice(refPrefix.length)]
      : [];
  const inside = Object.values(value).flatMap((part: Json) => [...referencesIn(part, refPrefix)]);
  return new Set([...own, ...inside]);
}
