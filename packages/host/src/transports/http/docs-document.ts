import { z } from "zod";

const Named = z.looseObject({ description: z.string().optional() });

/** A JSON Schema, as far as a page shows it. */
export type DocsSchema = z.infer<typeof Named> & Readonly<Record<string, unknown>>;

const Schema: z.ZodType<DocsSchema> = Named;

const Content = z.record(z.string(), z.looseObject({ schema: Schema }));

const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(["path", "query"]),
  required: z.boolean(),
  description: z.string(),
  schema: Schema,
});

const Request = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(Parameter),
  requestBody: z.looseObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: Content.optional() }),
  ),
  "x-scopes": z.array(z.string()),
});

/** One request of the document. */
export type DocsRequest = z.infer<typeof Request>;

/** An OpenAPI document, as far as a page shows it. */
export const DocsDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Request)),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});
export type DocsDocument = z.infer<typeof DocsDocument>;
