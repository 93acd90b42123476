import type { IncomingMessage } from "node:http";
import { CAST_MEDIA_TYPE, hasQuery, invalidArgument, NacreError } from "@nacre/contracts";
import type { z } from "zod";
import { parseJsonText } from "../../base/parse-json-text.ts";
import { createQueryDecoder, type QueryDecoder } from "./decode-query.ts";
import type { Exchange } from "./route.ts";

/** One message of a person or a program; files go another way. */
export const MAX_BODY_BYTES = 1024 * 1024;

const BODY_DEADLINE_MS = 10_000;

/** No body means an empty object. */
export async function readBody(
  request: IncomingMessage,
  deadlineMs = BODY_DEADLINE_MS,
): Promise<Record<string, unknown>> {
  const value = await readJsonBody(request, deadlineMs);
  if (isRecord(value)) return value;
  throw new NacreError("invalid_argument", "the body is not a JSON object");
}

/** No body means an empty object. */
export async function readJsonBody(
  request: IncomingMessage,
  deadlineMs = BODY_DEADLINE_MS,
): Promise<unknown> {
  const bytes = await readBytes(request, deadlineMs);
  return bytes.byteLength === 0 ? {} : parseJsonText(bytes);
}

export const hasRequestBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function readBytes(request: IncomingMessage, deadlineMs: number): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  // The gate admits this type for the one route that takes it.
  if (request.headers["content-type"]?.toLowerCase().startsWith(CAST_MEDIA_TYPE) === true) {
    throw new NacreError("invalid_argument", "the body is not valid JSON");
  }
  if ((request.headers["content-encoding"] ?? "identity") !== "identity") {
    throw new NacreError("invalid_argument", "the body is compressed");
  }
  const deadline = AbortSignal.timeout(deadlineMs);
  const chunks: Buffer[] = [];
  let length = 0;
  return await new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      deadline.removeEventListener("abort", handleDeadline);
      request.off("data", handleData).off("end", handleEnd).off("close", handleClose);
      request.off("error", handleClose);
      finish();
    };
    const handleDeadline = (): void => {
      const message = `the body did not come within ${deadlineMs} ms`;
      settle(() => reject(new NacreError("timeout", message)));
    };
    const handleData = (chunk: Buffer): void => {
      length += chunk.byteLength;
      if (length > MAX_BODY_BYTES) settle(() => reject(bodyTooLarge()));
      else chunks.push(chunk);
    };
    const handleEnd = (): void => settle(() => resolve(Buffer.concat(chunks, length)));
    const handleClose = (): void =>
      settle(() => reject(new NacreError("unavailable", "the connection ended within the body")));
    deadline.addEventListener("abort", handleDeadline);
    request.on("data", handleData).on("end", handleEnd).on("close", handleClose);
    request.on("error", handleClose);
  });
}

const bodyTooLarge = (): NacreError =>
  new NacreError("payload_too_large", `the body has more than ${MAX_BODY_BYTES} bytes`);

type InputReader = (exchange: Exchange) => Promise<Record<string, unknown>>;

/** Path and query where there is no body, path and body otherwise. */
export function createInputReader(method: string, schema: z.ZodType): InputReader {
  if (!hasQuery(method)) {
    return async ({ request, query, parameters }) => {
      if (query !== "") throw new NacreError("invalid_argument", `${method} takes no query here`);
      return withParameters(await readBody(request), parameters);
    };
  }
  let decoder: QueryDecoder | undefined;
  return async ({ request, query, parameters }) => {
    if (hasRequestBody(request))
      throw new NacreError("invalid_argument", `${method} takes no body here`);
    decoder ??= createQueryDecoder(schema);
    return withParameters(decoder(query), parameters);
  };
}

/** The path decides; another value for the same field is refused. */
function withParameters(
  rest: Record<string, unknown>,
  parameters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(parameters)) {
    if (Object.hasOwn(rest, name) && rest[name] !== value) {
      throw invalidArgument(name, "differs from the one in the path");
    }
  }
  return { ...rest, ...parameters };
}
