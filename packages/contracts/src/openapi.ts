import { type ErrorCode, ERRORS } from "./error.ts";
import { isJsonObject, type JsonObject, jsonSchemasByName, NAMED_SCHEMAS } from "./json-schemas.ts";
import { COMMON_ERRORS, type Operation, OPERATIONS, pathParametersOf } from "./operations.ts";
import { type Subscription, SUBSCRIPTIONS } from "./subscriptions.ts";

/** The version of the interface, the same as that of the package. */
export const API_VERSION = "0.1.0";

const PREFIX = "#/components/schemas/";

const refTo = (name: string): JsonObject => ({ $ref: PREFIX + name });

function nameOf(schema: Operation["input"]): string {
  const found = [...NAMED_SCHEMAS].find(([, named]) => named === schema);
  if (found === undefined) throw new Error("a schema of the tables is not exported");
  return found[0];
}

/** Where a request is found. */
type Route = Pick<Operation["http"], "method" | "path">;

/** An object schema taken apart. */
interface ObjectParts {
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** The keywords beside `properties` and `required`. */
  readonly rest: JsonObject;
}

function partsOf({ properties, required, ...rest }: JsonObject): ObjectParts {
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: Array.isArray(required) ? required.filter((key) => typeof key === "string") : [],
    rest,
  };
}

function parametersOf(input: ObjectParts, names: readonly string[], place: "path" | "query") {
  return names.map((name): JsonObject => {
    const property = input.properties[name];
    const { description = "", ...schema } = isJsonObject(property) ? property : {};
    return { name, in: place, required: input.required.includes(name), description, schema };
  });
}

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

const eventStream = (schema: JsonObject): JsonObject => ({ "text/event-stream": { schema } });

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

/** The parameters of a request: those in its path and, for a GET, all others in the query. */
function allParametersOf({ method, path }: Route, input: ObjectParts): readonly JsonObject[] {
  const inPath = pathParametersOf(path);
  const others = Object.keys(input.properties).filter((name) => !inPath.includes(name));
  return [
    ...parametersOf(input, inPath, "path"),
    ...parametersOf(input, method === "GET" ? others : [], "query"),
  ];
}

function operationOf(operationId: string, operation: Operation, input: ObjectParts): JsonObject {
  const { method, path, status } = operation.http;
  const inPath = pathParametersOf(path);
  const body = inPath.length === 0 ? refTo(nameOf(operation.input)) : bodyOf(input, inPath);
  return {
    operationId,
    summary: operation.summary,
    parameters: allParametersOf(operation.http, input),
    ...(method === "GET" ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      [status]: {
        description: "Success.",
        content: jsonContent(refTo(nameOf(operation.output))),
      },
      ...errorResponsesOf(operation.errors),
    },
    "x-scopes": [...operation.scopes],
  };
}

function feedOf(operationId: string, feed: Subscription, input: ObjectParts): JsonObject {
  return {
    operationId,
    summary: feed.summary,
    parameters: allParametersOf(feed.http, input),
    responses: {
      200: {
        description: `The data of each event is one message. ${feed.delivery}`,
        content: eventStream(refTo(nameOf(feed.message))),
      },
      ...errorResponsesOf(feed.errors),
    },
    "x-scopes": [...feed.scopes],
  };
}

/** The OpenAPI 3.1 description of the HTTP interface: a loop over the tables of operations and subscriptions. */
export function openApiDocument(): JsonObject {
  const schemas = jsonSchemasByName(PREFIX);
  const paths: Record<string, JsonObject> = {};
  const inputOf = ({ input }: Operation | Subscription) =>
    partsOf(schemas.get(nameOf(input)) ?? {});
  const add = ({ method, path }: Route, request: JsonObject) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: request };
  };
  for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
    add(operation.http, operationOf(name, operation, inputOf(operation)));
  }
  for (const [name, feed] of Object.entries<Subscription>(SUBSCRIPTIONS)) {
    add(feed.http, feedOf(name, feed, inputOf(feed)));
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
