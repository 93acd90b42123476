import { NacreError, type Operation, OPERATIONS } from "@nacre/contracts";
import type { Send } from "./client.ts";
import { readError } from "./failure.ts";

/** An input taken apart for HTTP. */
interface RequestParts {
  /** The path with its parameters filled in. */
  readonly path: string;
  /** What is not in the path. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Fills the parameters of a path from an input. */
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

/** Ids have a colon, which may stand in a path as it is. */
const segmentOf = (value: unknown): string =>
  encodeURIComponent(textOf(value)).replaceAll("%3A", ":");

/** Writes values as a query with its `?`: arrays by repetition, objects by dots; empty where there are none. */
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

/** One HTTP request below the address of a host. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, already written down, or bytes of any length. */
  readonly body?: string | Blob | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** Carries HTTP requests to one host, with the credential it has; it gives the answer of the host, whatever its status. */
export type HttpWire = (request: WireRequest) => Promise<Response>;

/** The part of `fetch` that a wire needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchWireOptions {
  /** Where the host is; its path, query and fragment do not count. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Tells the programs of one caller apart. */
  readonly clientLabel?: string | undefined;
  readonly fetch: Fetch;
}

/** A wire over `fetch`, which follows no redirects: the credential is for one host only. */
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
      // A body that is still coming is sent before the answer is read.
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      return await fetch(origin + path, init).catch((error: unknown) => {
        // The host closed a kept connection at this very moment; asking again changes nothing there.
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

/** What Node says of a connection that was there and is not any more. */
const BROKEN: readonly unknown[] = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];

function isBroken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && BROKEN.includes(cause.code);
}

/** The answer of the host where it is a success; throws the failure that it tells otherwise. */
export async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await readError(response);
}

/** Carries operations over HTTP, by the routes of the table. */
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

/** The JSON of an answer, as a whole. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NacreError("unexpected_answer", "the answer of the host is truncated", { cause });
  }
}

/** A connection that breaks within an answer is one that can be made again. */
async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    const message = "the connection broke within the answer; what was asked for may have happened";
    throw new NacreError("unavailable", message, { cause });
  }
}
