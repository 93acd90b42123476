import type { z } from "zod";
import { type ErrorCode, isErrorCode, NacreError } from "./nacre-error.ts";

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function wordOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number" && !Number.isInteger(input)) return String(input);
  return TYPE_WORDS[typeof input] ?? typeof input;
}

const UNITS: Readonly<Record<string, string>> = {
  string: "characters",
  array: "items",
  set: "items",
  map: "keys",
};

function describeBound(origin: string, bound: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound} ${limit}` : `must have ${bound} ${limit} ${unit}`;
}

/** Replaces zod's default messages, which are not for people; a message that a schema gives itself wins. */
export const schemaErrorMap: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}, got ${wordOf(issue.input)}`;
    case "too_small":
      if (UNITS[issue.origin] !== undefined && issue.minimum === 1) return "must not be empty";
      return describeBound(
        issue.origin,
        issue.inclusive === false ? "more than" : "at least",
        issue.minimum,
      );
    case "too_big":
      return describeBound(
        issue.origin,
        issue.inclusive === false ? "less than" : "at most",
        issue.maximum,
      );
    case "invalid_format":
      if (issue.format === "datetime") return "expected a time in UTC such as 2026-01-31T12:00:00Z";
      return issue.pattern === undefined
        ? `is not a valid ${issue.format}`
        : `must match ${issue.pattern}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return "is unknown";
    case "invalid_value":
      return `expected ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return issue.discriminator === undefined
        ? "has none of the allowed forms"
        : "is not a known value";
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return undefined;
  }
};

/** A custom check sets the error code with `params.errorCode`. */
function codeOf(issue: z.core.$ZodIssue | undefined): ErrorCode {
  const named: unknown = issue?.code === "custom" ? issue.params?.["errorCode"] : undefined;
  return isErrorCode(named) ? named : "invalid_argument";
}

/** For an invalid key of a record, what is wrong with the key. */
function messageOf(issue: z.core.$ZodIssue | undefined): string {
  const nested = issue?.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return nested ?? issue?.message ?? "invalid";
}

/** Throws a NacreError, mostly `invalid_argument`, that names the offending field below `at`. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at = "",
): z.output<Schema> {
  const result = schema.safeParse(value, { error: schemaErrorMap });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownKey = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [at, ...(issue?.path ?? []).map(String), unknownKey ?? ""].filter(Boolean).join(".");
  const field = path === "" ? undefined : path;
  throw new NacreError(codeOf(issue), `${field ?? "value"}: ${messageOf(issue)}`, {
    cause: result.error,
    field,
  });
}
