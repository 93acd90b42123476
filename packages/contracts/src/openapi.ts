import { type ErrorCode, ERRORS } from "./error.ts";
import { isJsonObject, type JsonObject, jsonSchemasByName, NAMED_SCHEMAS } from "./json-schemas.ts";
import {
  COMMON_ERRORS,
  hasQuery,
  type Operation,
  OPERATIONS,
  pathParametersOf,
} from "./operations.ts";
import { type Subscription, SUBSCRIPTIONS } from "./subscriptions.ts";
import { type Transfer, TRANSFERS } from "./transfers.ts";

/** Equals the version of the package. */
export const API_VERSION = "0.1.0";

const PREFIX = "#/components/schemas/";

const refTo = (name: string): JsonObject => ({ $ref: PREFIX + name });

function nameOf(schema: Operation["input"]): string {
  const found = [...NAMED_SCHEMAS].find(([, named]) => named === schema);
  if (found === undefined) throw new Error("a schema of the tables is not exported");
  return found[0];
}

type Route = Pick<Operation["http"], "method" | "path">;

interface ObjectParts {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly rest: JsonObject;
}

function partsOf({ properties, required, ...rest }: JsonObject): ObjectParts {
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: Array.isArray(required) ? required.filter((key) => typeof key === "string") : [],
    rest,
  };
}

type Schemas = ReadonlyMap<string, JsonObject>;

/** Follows a `$ref`; keywords beside the reference win. */
function resolved(schema: JsonObject, schemas: Schemas): JsonObject {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== "string") return schema;
  return { ...schemas.get($ref.slice(PREFIX.length)), ...beside };
}

interface FlatProperty {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** Flattens nested objects into `outer.inner` query parameters. */
function flattened(input: ObjectParts, schemas: Schemas): readonly FlatProperty[] {
  return Object.entries(input.properties).flatMap(([name, property]) => {
    const required = input.required.includes(name);
    const schema = resolved(isJsonObject(property) ? property : {}, schemas);
    if (!isJsonObject(schema["properties"])) return [{ name, schema, required }];
    return flattened(partsOf(schema), schemas).map((inner) => ({
      ...inner,
      name: `${name}.${inner.name}`,
      required: required && inner.required,
    }));
  });
}

function parameterOf(property: FlatProperty, place: "path" | "query"): JsonObject {
  const { description = "", ...schema } = property.schema;
  return { name: property.name, in: place, required: property.required, description, schema };
}

const inputOf = ({ input }: Pick<Operation, "input">, schemas: Schemas): ObjectParts =>
  partsOf(schemas.get(nameOf(input)) ?? {});

function bodyOf(input: ObjectParts, inPath: readonly string[]): JsonObject {
  const isInBody = (name: string) => !inPath.includes(name);
  return {
    ...input.rest,
    properties: Object.fromEntries(
      Object.entries(input.properties).filter(([name]) => isInBody(name)),
    ),
    required: input.required.filter(isInBody),
  };
}

const jsonContent = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });

function errorResponsesOf(errors: readonly ErrorCode[]): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...COMMON_ERRORS, ...errors]) {
    const status = ERRORS[code].httpStatus;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    statuses.map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
        content: jsonContent(refTo("ErrorBody")),
      },
    ]),
  );
}

/** The parameters of a request: those in its path and, where its body is not its input, all others in the query. */
function allParametersOf(
  { http, input }: Pick<Operation, "input"> & { readonly http: Route },
  schemas: Schemas,
  isInQuery = hasQuery(http.method),
): readonly JsonObject[] {
  const inPath = pathParametersOf(http.path);
  const properties = flattened(inputOf({ input }, schemas), schemas);
  const others = properties.filter(({ name }) => !inPath.includes(name));
  return [
    ...inPath.flatMap((name) => properties.filter((property) => property.name === name)),
    ...(isInQuery ? others : []),
  ].map((property) => parameterOf(property, inPath.includes(property.name) ? "path" : "query"));
}

/** Absent when path and query hold the whole input. */
function requestBodyOf(operation: Operation, input: ObjectParts): JsonObject {
  const { method, path } = operation.http;
  const inPath = pathParametersOf(path);
  const names = Object.keys(input.properties).filter((name) => !inPath.includes(name));
  if (hasQuery(method) || names.length === 0) return {};
  const schema = inPath.length === 0 ? refTo(nameOf(operation.input)) : bodyOf(input, inPath);
  const required = input.required.some((name) => names.includes(name));
  return { requestBody: { required, content: jsonContent(schema) } };
}

const successOf = (output: Operation["output"]): JsonObject => ({
  description: "Success.",
  content: jsonContent(refTo(nameOf(output))),
});

function operationOf(operationId: string, operation: Operation, schemas: Schemas): JsonObject {
  const input = inputOf(operation, schemas);
  return {
    operationId,
    summary: operation.summary,
    parameters: allParametersOf(operation, schemas),
    ...requestBodyOf(operation, input),
    responses: {
      [operation.http.status]: successOf(operation.output),
      ...errorResponsesOf(operation.errors),
    },
    "x-scopes": [...operation.scopes],
  };
}

function feedOf(operationId: string, feed: Subscription, schemas: Schemas): JsonObject {
  return {
    operationId,
    summary: feed.summary,
    parameters: allParametersOf(feed, schemas),
    responses: {
      200: {
        description: `The data of each event is one message. ${feed.delivery}`,
        content: { "text/event-stream": { schema: refTo(nameOf(feed.message)) } },
      },
      ...errorResponsesOf(feed.errors),
    },
    "x-scopes": [...feed.scopes],
  };
}

const bytesContent = (mediaTypes: readonly string[]): JsonObject =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: { description: "The bytes." } }]));

function transferOf(operationId: string, transfer: Transfer, schemas: Schemas): JsonObject {
  const { summary, direction, mediaTypes, errors, scopes } = transfer;
  const content = bytesContent(mediaTypes);
  return {
    operationId,
    summary,
    parameters: allParametersOf(transfer, schemas, true),
    ...(direction === "upload" ? { requestBody: { required: true, content } } : {}),
    responses: {
      ...(direction === "upload"
        ? { [transfer.http.status]: successOf(transfer.output) }
        : { 200: { description: "The bytes, as they come.", content } }),
      ...errorResponsesOf(errors),
    },
    "x-scopes": [...scopes],
  };
}

/** The OpenAPI 3.1 description of the HTTP interface: a loop over the tables of operations, subscriptions and transfers. */
export function openApiDocument(): JsonObject {
  const schemas = jsonSchemasByName(PREFIX);
  const paths: Record<string, JsonObject> = {};
  const add = ({ method, path }: Route, request: JsonObject) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: request };
  };
  for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
    add(operation.http, operationOf(name, operation, schemas));
  }
  for (const [name, feed] of Object.entries<Subscription>(SUBSCRIPTIONS)) {
    add(feed.http, feedOf(name, feed, schemas));
  }
  for (const [name, transfer] of Object.entries<Transfer>(TRANSFERS)) {
    add(transfer.http, transferOf(name, transfer, schemas));
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Nacre",
      version: API_VERSION,
      description: "Terminals as durable, shared, recorded things for agents and people.",
      license: { name: "MIT", identifier: "MIT" },
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: Object.fromEntries(schemas),
    },
  };
}
