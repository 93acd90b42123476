import { describe, expect, test } from "vitest";
import { z } from "zod";
import { COMMON_ERRORS, type Operation, OPERATIONS, pathParametersOf } from "./operations.ts";
import { ExportFormat } from "./recording-exchange.ts";
import { type Subscription, SUBSCRIPTIONS } from "./subscriptions.ts";
import { EXPORT_FORMATS, type Transfer, TRANSFERS } from "./transfers.ts";

const operations = Object.entries<Operation>(OPERATIONS);
const subscriptions = Object.entries<Subscription>(SUBSCRIPTIONS);
const transfers = Object.entries<Transfer>(TRANSFERS);

/** Conditions to wait for do not fit into a query, and a ticket is a secret that no address may have. */
const QUESTIONS_WITH_BODY = ["waitFor", "createTicket"];

/** What only an operator may look at. */
const SECRETS = ["listTokens", "listAudit"];

const propertiesOf = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

describe.each(operations)("the operation %s", (name, operation) => {
  test("is named by a verb and a noun", () => {
    expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  });

  test("says what it does in one sentence", () => {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
  });

  test("has each of its errors once, beside the common ones", () => {
    const errors = [...COMMON_ERRORS, ...operation.errors];
    expect(new Set(errors).size).toBe(errors.length);
  });

  test("has no error that only a client can tell", () => {
    expect([...COMMON_ERRORS, ...operation.errors]).not.toContain("unexpected_answer");
  });

  test("takes each path parameter as a property of its input", () => {
    expect(propertiesOf(operation.input)).toEqual(
      expect.arrayContaining([...pathParametersOf(operation.http.path)]),
    );
  });

  test("is below /api and answers with an object", () => {
    expect(operation.http.path).toMatch(/^\/api(\/[a-z]+(-[a-z]+)*|\/\{[a-zA-Z]+\})+$/);
    expect(operation.output).toBeInstanceOf(z.ZodObject);
  });

  test("is a GET exactly when it changes nothing, unless what it says needs a body", () => {
    const isGet = operation.http.method === "GET";
    expect(isGet).toBe(!operation.mutates && !QUESTIONS_WITH_BODY.includes(name));
  });

  test("is open to the operator, and to readers only when it changes nothing", () => {
    const isForReaders = operation.scopes.includes("readOnly");
    expect(operation.scopes).toContain("operator");
    expect(isForReaders).toBe(!operation.mutates && !SECRETS.includes(name));
  });
});

describe.each(subscriptions)("the subscription %s", (_name, subscription) => {
  test("takes each path parameter as a property of its input", () => {
    expect(propertiesOf(subscription.input)).toEqual(
      expect.arrayContaining([...pathParametersOf(subscription.http.path)]),
    );
  });

  test("is open to the operator and to readers, for it changes nothing", () => {
    expect(subscription.scopes).toEqual(expect.arrayContaining(["operator", "readOnly"]));
  });
});

describe.each(transfers)("the transfer %s", (_name, transfer) => {
  test("takes each path parameter as a property of its input", () => {
    expect(propertiesOf(transfer.input)).toEqual(
      expect.arrayContaining([...pathParametersOf(transfer.http.path)]),
    );
  });

  test("is open to the operator, and to readers only when it changes nothing", () => {
    expect(transfer.scopes).toContain("operator");
    expect(transfer.scopes.includes("readOnly")).toBe(transfer.direction === "download");
  });
});

test("every form of an export has a type and a name", () => {
  expect(Object.keys(EXPORT_FORMATS)).toEqual(ExportFormat.options);
});

test("no two requests share a route", () => {
  const routes = [...operations, ...subscriptions, ...transfers].map(
    ([, { http }]) => `${http.method} ${http.path.replaceAll(/\{[^}]+\}/g, "{}")}`,
  );
  expect(new Set(routes).size).toBe(routes.length);
});
