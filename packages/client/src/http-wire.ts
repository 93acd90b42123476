import { NacreError } from "@nacre/contracts";
import { readError } from "./failure.ts";

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

/** What a wire over `fetch` is made of. */
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
