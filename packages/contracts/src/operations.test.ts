import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { ERRORS } from "./error.ts";
import {
  COMMON_ERRORS,
  type Operation,
  type OperationInput,
  type OperationOutput,
  OPERATIONS,
  pathParametersOf,
} from "./operations.ts";
import { type Subscription, SUBSCRIPTIONS } from "./subscriptions.ts";
import type { TerminalData, TerminalInput } from "./terminal.ts";

const operations = Object.entries<Operation>(OPERATIONS);
const subscriptions = Object.entries<Subscription>(SUBSCRIPTIONS);

const propertiesOf = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

describe.each(operations)("the operation %s", (name, operation) => {
  test("is named by a verb and a noun", () => {
    expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  });

  test("says what it does in one sentence", () => {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
  });

  test("has only errors that exist, each once, beside the common ones", () => {
    const errors = [...COMMON_ERRORS, ...operation.errors];
    for (const code of errors) expect(ERRORS).toHaveProperty(code);
    expect(new Set(errors).size).toBe(errors.length);
  });

  test("takes each path parameter as a property of its input", () => {
    expect(propertiesOf(operation.input)).toEqual(
      expect.arrayContaining([...pathParametersOf(operation.http.path)]),
    );
  });

  test("is below /api and answers with an object", () => {
    expect(operation.http.path).toMatch(/^\/api(\/[a-z]+|\/\{[a-zA-Z]+\})+$/);
    expect(operation.output).toBeInstanceOf(z.ZodObject);
  });

  test("is a GET exactly when it changes nothing", () => {
    expect(operation.http.method === "GET").toBe(!operation.mutates);
  });

  test("is open to the operator, and to readers exactly when it changes nothing", () => {
    expect(operation.scopes).toContain("operator");
    expect(operation.scopes.includes("readOnly")).toBe(!operation.mutates);
  });
});

describe.each(subscriptions)("the subscription %s", (_name, subscription) => {
  test("takes each path parameter as a property of its input", () => {
    expect(propertiesOf(subscription.input)).toEqual(
      expect.arrayContaining([...pathParametersOf(subscription.http.path)]),
    );
  });

  test("has only errors that exist", () => {
    for (const code of subscription.errors) expect(ERRORS).toHaveProperty(code);
  });
});

test("no two requests share a route", () => {
  const routes = [...operations, ...subscriptions].map(
    ([, { http }]) => `${http.method} ${http.path.replaceAll(/\{[^}]+\}/g, "{}")}`,
  );
  expect(new Set(routes).size).toBe(routes.length);
});

test("the types of an operation follow from its name", () => {
  expectTypeOf<OperationInput<"createTerminal">>().toEqualTypeOf<TerminalInput>();
  expectTypeOf<OperationOutput<"readTerminal">>().toEqualTypeOf<TerminalData>();
  expectTypeOf<string>().not.toExtend<OperationInput<"readTerminal">["id"]>();
});
