import { NacreError } from "@nacre/contracts";
import type { z } from "zod";

/** Reads the answer of a host. What a newer host says beyond what is known here is left out; anything else is refused. */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
): z.output<Schema> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const known = withoutUnknownKeys(answer, result.error.issues);
  const second = known === undefined ? result : schema.safeParse(known);
  if (second.success) return second.data;
  const issue = second.error.issues[0];
  const place = issue?.path.map(String).join(".") ?? "";
  throw new NacreError("unexpected_answer", `${place || "answer"}: ${issue?.message}`, {
    cause: second.error,
  });
}

/** A copy without the keys that the issues name, or undefined when they name anything else. */
function withoutUnknownKeys(answer: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy: unknown = structuredClone(answer);
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") return undefined;
    const holder = issue.path.reduce(step, copy);
    for (const key of issue.keys) {
      if (typeof holder === "object" && holder !== null) Reflect.deleteProperty(holder, key);
    }
  }
  return copy;
}

const step = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
