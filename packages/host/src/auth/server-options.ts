import type { ServerOptions } from "node:http";

/** Enough for a long address and a token; a header larger than this is nobody's we know. */
const MAX_HEADER_BYTES = 16 * 1024;

/** As long as a socket may take to show a credential. */
const HEADERS_MS = 10_000;

/** The largest body we take is sent in much less, even over a slow line. */
const REQUEST_MS = 30_000;

/** Longer than the pauses between the requests of a page, short enough that idle connections do not pile up. */
const KEEP_ALIVE_MS = 5000;

/** How often the limits above are looked at; Node's own 30 s would let slow senders stay three times too long. */
const CHECK_EVERY_MS = 1000;

/** What every HTTP server of ours is created with; some of it cannot be set afterwards. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  // The gate refuses a missing Host in the same way as a wrong one.
  requireHostHeader: false,
  insecureHTTPParser: false,
  noDelay: true,
} as const satisfies ServerOptions;
