import type { ServerResponse } from "node:http";
import { errorBodyOf, ERRORS, type NacreError } from "@nacre/contracts";

/** CSP of our pages: our own script and style, our own origin, nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** CSP of everything else: nothing, not even framing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": DATA_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const JSON_TYPE = "application/json; charset=utf-8";

export const jsonReply = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpReply => ({
  status,
  headers: { "content-type": JSON_TYPE, ...headers },
  body: `${JSON.stringify(value)}\n`,
});

export const textReply = (
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): HttpReply => ({ status: 200, headers: { "content-type": type, ...headers }, body });

/** A bug reveals nothing. */
export function errorReply(
  error: NacreError,
  status = ERRORS[error.code].httpStatus,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return jsonReply(status, errorBodyOf(error), headers);
}

/** Adds the common headers; returns the number of body bytes. */
export function sendReply(response: ServerResponse, { status, headers, body }: HttpReply): number {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const isBodyless = response.req.method === "HEAD";
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...headers,
    "content-length": bytes.byteLength,
  });
  response.end(isBodyless ? undefined : bytes);
  return isBodyless ? 0 : bytes.byteLength;
}
