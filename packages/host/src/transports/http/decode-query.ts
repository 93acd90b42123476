// The query of an address holds only text; the schema of the input says what each text stands for.
import { invalidArgument, NacreError } from "@nacre/contracts";
import { z } from "zod";
import { UNSAFE_KEYS } from "../../base/parse-json-text.ts";

/** More than any input has properties. */
const MAX_PARAMETERS = 256;

/** `position.after` has two. */
const MAX_NAME_PARTS = 4;

/** A part of a JSON Schema, as far as it tells how a text is read. */
type Schema = z.core.JSONSchema.BaseSchema;

export type QueryDecoder = (query: string) => Record<string, unknown>;

/** Numbers and booleans by type, arrays by repeated names, nested objects by dots. */
export function createQueryDecoder(input: z.ZodType): QueryDecoder {
  const schema = z.toJSONSchema(input, { unrepresentable: "any" });
  return (query) => {
    const result: Record<string, unknown> = {};
    for (const [name, texts] of parseParameters(query))
      setParameter(result, schema, { name, texts });
    return result;
  };
}

/** In order; refuses invalid encoding. */
function parseParameters(query: string): ReadonlyMap<string, readonly string[]> {
  const parameters = new Map<string, string[]>();
  const pairs = query === "" ? [] : query.split("&");
  if (pairs.length > MAX_PARAMETERS) {
    throw new NacreError("invalid_argument", `the query has more than ${MAX_PARAMETERS} parts`);
  }
  for (const pair of pairs.filter(Boolean)) {
    const equals = pair.indexOf("=");
    const name = decodePart(equals < 0 ? pair : pair.slice(0, equals), undefined);
    const text = decodePart(equals < 0 ? "" : pair.slice(equals + 1), name);
    const known = parameters.get(name);
    if (known === undefined) parameters.set(name, [text]);
    else known.push(text);
  }
  return parameters;
}

function decodePart(text: string, name: string | undefined): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    const message = `${name ?? "the query"}: is not encoded as a query must be`;
    throw new NacreError("invalid_argument", message, { field: name });
  }
}

interface Parameter {
  readonly name: string;
  readonly texts: readonly string[];
}

/** Unknown names go in as text, and the schema refuses them. */
function setParameter(
  into: Record<string, unknown>,
  schema: Schema,
  { name, texts }: Parameter,
): void {
  const parts = name.split(".");
  if (parts.length > MAX_NAME_PARTS || parts.some((part) => UNSAFE_KEYS.has(part))) {
    throw new NacreError("invalid_argument", `${truncateName(name)}: is not a parameter name`);
  }
  const last = parts.pop() ?? "";
  let holder = into;
  let described: Schema | undefined = schema;
  for (const part of parts) {
    described = propertyOf(described, part);
    const inside = holder[part] ?? {};
    if (!isRecord(inside)) throw duplicateParameter(name);
    holder[part] = inside;
    holder = inside;
  }
  if (Object.hasOwn(holder, last)) throw duplicateParameter(name);
  holder[last] = decodeValue(propertyOf(described, last), { name, texts });
}

function decodeValue(schema: Schema | undefined, { name, texts }: Parameter): unknown {
  const items = alternativesOf(schema).find(({ type }) => type === "array")?.items;
  if (isSchema(items)) return texts.map((text) => decodeScalar(items, text));
  const [text = "", ...more] = texts;
  if (more.length > 0) throw duplicateParameter(name);
  return decodeScalar(schema, text);
}

/** A text becomes a number or a boolean only where the schema accepts no string. */
function decodeScalar(schema: Schema | undefined, text: string): unknown {
  const alternatives = alternativesOf(schema);
  const takesText = alternatives.some(
    ({ type, enum: words, const: word }) =>
      word === text || words?.includes(text) || (type === "string" && !words && word === undefined),
  );
  if (takesText) return text;
  const types = new Set(alternatives.map(({ type }) => type));
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if ((types.has("integer") || types.has("number")) && isNumber(text)) return Number(text);
  return text;
}

/** A finite JSON number. */
const isNumber = (text: string): boolean =>
  text.length <= 32 &&
  /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text) &&
  Number.isFinite(Number(text));

/** Unions are flattened. */
function alternativesOf(schema: Schema | undefined): readonly Schema[] {
  if (schema === undefined) return [];
  const union = schema.anyOf ?? schema.oneOf;
  return union === undefined ? [schema] : union.filter(isSchema).flatMap(alternativesOf);
}

function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  for (const { properties } of alternativesOf(schema)) {
    const property =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isSchema(property)) return property;
  }
  return undefined;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const duplicateParameter = (name: string): NacreError =>
  invalidArgument(truncateName(name), "is given more than once");

/** Messages go into logs, so names are cut. */
const truncateName = (name: string): string => name.slice(0, 64);
