import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A schema that is shown to clients; tools check by themselves, so that every refusal has a code, a field and a suggestion. */
export function advertiseSchema(schema: z.ZodType): StandardSchemaWithJSON<unknown> {
  const asked = memoizeJsonSchema(schema, "input");
  const answered = memoizeJsonSchema(schema, "output");
  return {
    "~standard": {
      version: 1,
      vendor: "nacre",
      validate: (value) => ({ value }),
      jsonSchema: { input: asked, output: answered },
    },
  };
}

/** Each connection shows the same schemas; they are made once. */
function memoizeJsonSchema(
  schema: z.ZodType,
  io: "input" | "output",
): () => Record<string, unknown> {
  let made: Record<string, unknown> | undefined;
  return () => (made ??= compactSchema(schema, io));
}

/** What a model does not write an argument by; every connection pays for it in tokens, and tools check it anyway. */
const OMITTED_KEYWORDS = ["pattern", "propertyNames", "minLength", "maxLength"];

/** A schema without what only a validator reads; without `$schema` it is JSON Schema 2020-12, as MCP says. */
function compactSchema(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _dialect, ...short } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      for (const name of OMITTED_KEYWORDS) Reflect.deleteProperty(jsonSchema, name);
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return short;
}
