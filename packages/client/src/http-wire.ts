import { NacreError, type Operation, OPERATIONS } from "@nacre/contracts";
import type { Send } from "./client.ts";
import { readError } from "./failure.ts";

interface RequestParts {
  /** Parameters filled in. */
  readonly path: string;
  /** Everything else. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export function fillPath(template: string, input: object): RequestParts {
  const values = new Map<string, unknown>(Object.entries(input));
  const names = new Set<string>();
  const path = template.replaceAll(/\{([A-Za-z]+)\}/g, (_, name: string) => {
    names.add(name);
    return segmentOf(values.get(name));
  });
  return {
    path,
    rest: Object.fromEntries([...values].filter(([name]) => !names.has(name))),
  };
}

/** Ids contain a colon, which is allowed in a path. */
const segmentOf = (value: unknown): string =>
  encodeURIComponent(textOf(value)).replaceAll("%3A", ":");

/** With `?`: arrays by repetition, objects by dots; empty where there are none. */
export function encodeQuery(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(pairsOf(values, "")).toString();
  return query === "" ? "" : `?${query}`;
}

function pairsOf(values: object, prefix: string): [string, string][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    pairsOfValue(prefix + name, value),
  );
}

function pairsOfValue(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => pairsOfValue(name, item));
  if (typeof value === "object" && value !== null) return pairsOf(value, `${name}.`);
  return [[name, textOf(value)]];
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

export interface WireRequest {
  readonly method: string;
  /** Begins with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text, or bytes of any length. */
  readonly body?: string | Blob | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** With the credential; returns the response whatever its status. */
export type HttpWire = (request: WireRequest) => Promise<Response>;

/** The part of `fetch` that is needed. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchWireOptions {
  /** Path, query and fragment are ignored. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Distinguishes the programs of one caller. */
  readonly clientLabel?: string | undefined;
  readonly fetch: Fetch;
}

/** Follows no redirects: the credential is for one host only. */
export function fetchWire({ url, token, clientLabel, fetch }: FetchWireOptions): HttpWire {
  const { origin } = new URL(url);
  const own: Record<string, string> = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(clientLabel === undefined ? {} : { "nacre-client-id": clientLabel }),
  };
  return async ({ method, path, headers, body, signal }) => {
    const init: RequestInit = {
      method,
      headers: { ...headers, ...own },
      redirect: "error",
      credentials: "omit",
      cache: "no-store",
      ...(body === undefined ? {} : { body }),
      // `duplex: "half"`: a streamed body is sent before the response is read.
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      return await fetch(origin + path, init).catch((error: unknown) => {
        // The host closed an idle connection at this moment; a GET can be repeated.
        if (method !== "GET" || !isBroken(error) || signal?.aborted) throw error;
        return fetch(origin + path, init);
      });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof NacreError) throw cause;
      throw new NacreError("unavailable", `no host answers at ${origin}`, { cause });
    }
  };
}

/** Node's codes for a broken connection. */
const BROKEN: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

function isBroken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && BROKEN.includes(cause.code);
}

/** Throws the error that the response contains. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await readError(response);
}

/** By the routes of the table. */
export function httpSend(wire: HttpWire): Send {
  return async (name, input, options) => {
    const operation: Operation = OPERATIONS[name];
    const { method, path: template } = operation.http;
    const isObject = typeof input === "object" && input !== null;
    const { path, rest } = fillPath(template, isObject ? input : {});
    const inQuery = method === "GET" || method === "DELETE";
    const response = await wire({
      method,
      path: inQuery ? path + encodeQuery(rest) : path,
      headers: {
        accept: "application/json",
        ...(inQuery ? {} : { "content-type": "application/json" }),
      },
      ...(inQuery ? {} : { body: JSON.stringify(rest) }),
      signal: options?.signal,
    });
    return await readJson(await requireSuccess(response));
  };
}

export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NacreError("unexpected_answer", "the answer of the host is truncated", { cause });
  }
}

/** A connection that breaks within a response can be re-established. */
async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    const message = "the connection broke within the answer; what was asked for may have happened";
    throw new NacreError("unavailable", message, { cause });
  }
}
