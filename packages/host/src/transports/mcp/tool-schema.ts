import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A schema that is shown to clients; tools check by themselves, so that every refusal has a code, a field and a suggestion. */
export function shownSchema(schema: z.ZodType): StandardSchemaWithJSON<unknown> {
  const asked = jsonOnce(schema, "input");
  const answered = jsonOnce(schema, "output");
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
function jsonOnce(schema: z.ZodType, io: "input" | "output"): () => Record<string, unknown> {
  let made: Record<string, unknown> | undefined;
  return () => (made ??= z.toJSONSchema(schema, { io }));
}
