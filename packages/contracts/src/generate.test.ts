import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ERRORS } from "./error.ts";
import { generateReference } from "./generate.ts";
import { when } from "./json-object.ts";
import { isJsonObject, type Json, type JsonObject, NAMED_SCHEMAS } from "./json-schemas.ts";
import { API_VERSION, openApiDocument } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { SUBSCRIPTIONS } from "./subscriptions.ts";

const files = generateReference();

const parsed = (path: string): JsonObject => JSON.parse(files.get(path) ?? "") as JsonObject;

/** Every object inside a JSON value, with where it is; conditions describe no shape of their own. */
function* objectsIn(value: Json, at = "#"): Generator<[string, JsonObject]> {
  if (typeof value !== "object" || value === null || /\/(?:if|then|else|not)$/.test(at)) return;
  if (isJsonObject(value)) yield [at, value];
  for (const [key, part] of Object.entries<Json>(value)) yield* objectsIn(part, `${at}/${key}`);
}

/** The properties anywhere in a schema that nobody described. */
const undescribed = (schema: JsonObject): readonly string[] =>
  [...objectsIn(schema)].flatMap(([at, { properties }]) =>
    isJsonObject(properties) && !at.endsWith("/properties")
      ? Object.entries(properties).flatMap(([name, property]) =>
          isJsonObject(property) &&
          typeof property["description"] === "string" &&
          property["description"].trim() !== ""
            ? []
            : [`${at}/properties/${name}`],
        )
      : [],
  );

function resolve(document: JsonObject, reference: string): Json | undefined {
  let here: Json | undefined = document;
  for (const key of reference.slice("#/".length).split("/")) {
    here = isJsonObject(here) ? here[key] : undefined;
  }
  return here;
}

const unresolved = (document: JsonObject): readonly string[] =>
  [...objectsIn(document)].flatMap(([, { $ref }]) =>
    typeof $ref === "string" && !isJsonObject(resolve(document, $ref)) ? [$ref] : [],
  );

describe.each([...NAMED_SCHEMAS])("the schema %s", (name, schema) => {
  const document = parsed(`schemas/${name}.json`);

  test("is described, and so is every property inside", () => {
    expect(document["description"]).toMatch(/\S/);
    expect(undescribed(document)).toEqual([]);
  });

  test("is complete in itself", () => {
    expect(unresolved(document)).toEqual([]);
  });

  test("only checks values and never changes them", () => {
    expect(z.toJSONSchema(schema, { io: "input" })).toEqual(z.toJSONSchema(schema));
  });

  test("has no object that lets unknown keys through", () => {
    const open = [...objectsIn(document)].filter(
      ([, { properties, additionalProperties }]) =>
        isJsonObject(properties) && additionalProperties !== false,
    );
    expect(open).toEqual([]);
  });
});

test("the eight schemas of the terminal entity are in the reference", () => {
  for (const name of [
    "TerminalSendInputDataSchema",
    "TerminalSendInputSchema",
    "TerminalOwnerReferenceSchema",
    "TerminalLaunchOptionsSchema",
    "TerminalInputSchema",
    "TerminalStorageSchema",
    "TerminalSchema",
    "TerminalRecordingEntrySchema",
  ]) {
    expect(files.has(`schemas/${name}.json`)).toBe(true);
  }
});

describe("the rules between fields are in the reference:", () => {
  const schemaOf = (name: string) => parsed(`schemas/${name}.json`);
  const optionOf = (type: string): Json | undefined => {
    const { oneOf } = schemaOf("TerminalRecordingEntrySchema");
    return Array.isArray(oneOf)
      ? oneOf.find((option: Json) => resolveType(option) === type)
      : undefined;
  };
  const resolveType = (option: Json) =>
    isJsonObject(option) ? resolve(option, "#/properties/type/const") : undefined;
  const nullAfterSignal = when(
    { required: ["signal"] },
    { properties: { exitCode: { type: "null" } } },
  );

  test("how many variables there may be", () => {
    expect(schemaOf("TerminalInputSchema")).toMatchObject({
      properties: { env: { type: "object", maxProperties: 256 } },
    });
  });

  test("an exit code is null after a signal, or not there", () => {
    expect(optionOf("exit")).toMatchObject(nullAfterSignal);
    expect(schemaOf("TerminalSchema")).toMatchObject(nullAfterSignal);
    expect(optionOf("commandEnd")).toMatchObject({ not: { required: ["exitCode", "signal"] } });
    expect(schemaOf("Command")).toMatchObject({ not: { required: ["exitCode", "signal"] } });
  });

  test("how long data may be", () => {
    const data = { maxLength: 1_398_104 };
    for (const name of ["TerminalSendInputSchema", "TerminalSendInputDataSchema"]) {
      expect(schemaOf(name)).toMatchObject({ properties: { data } });
    }
    expect(optionOf("input")).toMatchObject({ properties: { data } });
    expect(optionOf("output")).toMatchObject({ properties: { data } });
  });

  test("a key name has no encoding", () => {
    expect(schemaOf("TerminalSendInputSchema")).toMatchObject(
      when(
        { required: ["literal"], properties: { literal: { const: false } } },
        { not: { required: ["encoding"] } },
      ),
    );
  });

  test.each(["TerminalRecordingEntryCollectionSchema", "SearchResult"])(
    "%s says where to go on exactly when it is truncated",
    (name) => {
      expect(schemaOf(name)).toMatchObject(
        when(
          { properties: { truncated: { const: true } } },
          { required: ["nextAfter"] },
          { not: { required: ["nextAfter"] } },
        ),
      );
    },
  );

  test("columns need rows", () => {
    expect(schemaOf("TerminalSchema")).toMatchObject({
      dependentRequired: { cols: ["rows"], rows: ["cols"] },
    });
  });
});

test("a property without a description is noticed at any depth", () => {
  const inner = { type: "object", properties: { a: { type: "string" } } };
  const schema = { anyOf: [{ items: inner }], $defs: { x: { allOf: [inner] } } };
  expect(undescribed(schema)).toEqual([
    "#/anyOf/0/items/properties/a",
    "#/$defs/x/allOf/0/properties/a",
  ]);
});

describe("the OpenAPI document", () => {
  const document = openApiDocument();

  test("resolves all its references", () => {
    expect(unresolved(document)).toEqual([]);
    expect(unresolved({ $ref: "#/components/nowhere" })).toHaveLength(1);
  });

  test("has each operation on its route, with its success and its failures", () => {
    for (const [operationId, { http, errors }] of Object.entries(OPERATIONS)) {
      const path = resolve(document, "#/paths");
      const item = isJsonObject(path) ? path[http.path] : undefined;
      const operation = isJsonObject(item) ? item[http.method.toLowerCase()] : undefined;
      expect(operation).toMatchObject({ operationId });
      const responses = isJsonObject(operation) ? operation["responses"] : undefined;
      expect(responses).toHaveProperty(String(http.status));
      for (const code of errors) expect(responses).toHaveProperty(String(ERRORS[code].httpStatus));
    }
  });

  test("has the parameters of a nested object one by one, named with dots", () => {
    const parameters = resolve(document, "#/paths");
    const item = isJsonObject(parameters) ? parameters["/api/terminals/{id}/output"] : undefined;
    const operation = isJsonObject(item) ? item["get"] : undefined;
    expect(operation).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: "id", in: "path", required: true }),
        expect.objectContaining({ name: "position.after", in: "query", required: false }),
        expect.objectContaining({ name: "position.offset", in: "query", required: false }),
      ]) as Json,
    });
  });

  test("has no body where everything is in the path or the query", () => {
    const item = resolve(document, "#/paths");
    const paths = isJsonObject(item) ? item : {};
    expect(paths["/api/recordings/{id}"]).toMatchObject({
      delete: {
        parameters: [
          { name: "id", in: "path" },
          { name: "purge", in: "query" },
          { name: "force", in: "query" },
        ],
      },
    });
    expect(paths["/api/recordings/{id}"]).not.toHaveProperty("delete.requestBody");
    expect(paths["/api/terminals/{id}/clear"]).not.toHaveProperty("post.requestBody");
    expect(paths["/api/terminals/{id}/kill"]).toMatchObject({
      post: { requestBody: { required: false } },
    });
  });

  test("has each subscription as a stream of its messages", () => {
    const messages = { terminalFeed: "TerminalFeedMessage", entityEvents: "EntityEventsMessage" };
    for (const [operationId, { http, delivery }] of Object.entries(SUBSCRIPTIONS)) {
      const paths = resolve(document, "#/paths");
      const item = isJsonObject(paths) ? paths[http.path] : undefined;
      const name = Object.entries(messages).find(([feed]) => feed === operationId)?.[1];
      const $ref = `#/components/schemas/${name}`;
      expect(item).toMatchObject({
        get: {
          operationId,
          responses: {
            200: {
              description: expect.stringContaining(delivery),
              content: { "text/event-stream": { schema: { $ref } } },
            },
          },
        },
      });
    }
  });

  test("has no description missing", () => {
    expect(undescribed(document)).toEqual([]);
  });

  test("has the version of the package", () => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    expect(JSON.parse(manifest)).toMatchObject({ version: API_VERSION });
  });
});

test("the errors page has each code", () => {
  for (const code of Object.keys(ERRORS))
    expect(files.get("errors.md")).toContain(`| \`${code}\` |`);
});

test("every file is the same each time and ends with a line feed", () => {
  expect([...generateReference()]).toEqual([...files]);
  for (const text of files.values()) expect(text).toMatch(/[^\n]\n$/);
});
