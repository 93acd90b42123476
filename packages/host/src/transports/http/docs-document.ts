import { z } from "zod";

const DescribedSchema = z.looseObject({ description: z.string().optional() });

/** A JSON Schema, as far as a page shows it. */
export type DocsSchema = z.infer<typeof DescribedSchema> & Readonly<Record<string, unknown>>;

const SchemaShape: z.ZodType<DocsSchema> = DescribedSchema;

const ContentShape = z.record(z.string(), z.looseObject({ schema: SchemaShape }));

const ParameterShape = z.looseObject({
  name: z.string(),
  in: z.enum(["path", "query"]),
  required: z.boolean(),
  description: z.string(),
  schema: SchemaShape,
});

const RequestShape = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(ParameterShape),
  requestBody: z.looseObject({ required: z.boolean(), content: ContentShape }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: ContentShape.optional() }),
  ),
  "x-scopes": z.array(z.string()),
});

/** One request of the document. */
export type DocsRequest = z.infer<typeof RequestShape>;

/** An OpenAPI document, as far as a page shows it. */
export const DocsDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), RequestShape)),
  components: z.looseObject({ schemas: z.record(z.string(), SchemaShape) }),
});
export type DocsDocument = z.infer<typeof DocsDocument>;
