import { decodeError, ErrorBody, type ErrorCode, NacreError } from "@nacre/contracts";
import type { z } from "zod";

/** Unknown fields of a newer host are dropped; anything else invalid is refused. */
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

/** Undefined when the issues are about anything else. */
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

/** Used where the response has no error body. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "forbidden",
  404: "route_not_found",
  405: "route_not_found",
  408: "timeout",
  413: "payload_too_large",
  415: "invalid_argument",
  421: "forbidden",
  429: "limit_reached",
  503: "unavailable",
  504: "unavailable",
};

/** Error bodies are short; the bound protects the memory. */
const MAX_FAILURE_LENGTH = 65_536;

/** An unknown code becomes that of its status. */
export async function readError(response: Response): Promise<NacreError> {
  const byStatus = CODES[response.status] ?? "unexpected_answer";
  const told = ErrorBody.safeParse(await jsonOf(response));
  if (!told.success) {
    return new NacreError(byStatus, `the host answered with status ${response.status}`);
  }
  return decodeError(told.data.error, byStatus);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await beginningOf(response));
  } catch {
    // Not JSON, or the connection broke: the status says enough.
    return undefined;
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  let text = "";
  if (body === null) return text;
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_FAILURE_LENGTH) break;
  }
  return text;
}
