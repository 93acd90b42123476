import { z } from "zod";
import * as contracts from "./index.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Through JSON and back, because zod's result may hold more than JSON. */
const jsonObjectOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) =>
  left < right ? -1 : 1;

/** Every exported schema by export name, sorted. */
export const NAMED_SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(contracts)
    .flatMap(([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []))
    .toSorted(byName),
);

/** `$schema` and `$id` belong to a whole document, not to a part of one. */
const withoutAddress = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id"));

/** Scalars are inlined where used; objects, unions and lists are defined once and referenced. */
const hasInside = (schema: z.ZodType) =>
  schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion;

/** All named schemas as JSON Schema, with `$ref` = `refPrefix` + name. */
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

/** The names that a value references directly. */
export function referencesIn(value: Json, refPrefix: string): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return new Set();
  const own =
    isJsonObject(value) && typeof value["$ref"] === "string" && value["$ref"].startsWith(refPrefix)
      ? [value["$ref"].slice(refPrefix.length)]
      : [];
  const inside = Object.values(value).flatMap((part: Json) => [...referencesIn(part, refPrefix)]);
  return new Set([...own, ...inside]);
}
