import type { z } from "zod";
import { type ErrorCode, isErrorCode, NacreError } from "./nacre-error.ts";

/** A custom check sets the error code with `params.errorCode`. */
function codeOf(issue: z.core.$ZodIssue | undefined): ErrorCode {
  const named: unknown = issue?.code === "custom" ? issue.params?.["errorCode"] : undefined;
  return isErrorCode(named) ? named : "invalid_argument";
}

/** What is wrong in words; of a key of a record, what is wrong with the key. */
function messageOf(issue: z.core.$ZodIssue | undefined): string {
  const nested = issue?.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return nested ?? issue?.message ?? "invalid";
}

/** Parses a value from outside, or throws an error, mostly `invalid_argument`, that names the offending field below `at`. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at = "",
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownKey = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [at, ...(issue?.path ?? []).map(String), unknownKey ?? ""].filter(Boolean).join(".");
  const field = path === "" ? undefined : path;
  throw new NacreError(codeOf(issue), `${field ?? "value"}: ${messageOf(issue)}`, {
    cause: result.error,
    ...(field === undefined ? {} : { field }),
  });
}
