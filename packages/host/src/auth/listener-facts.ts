/** What the gate knows about the listener a request came by; decided when it was bound, never taken from a request. */
export interface ListenerFacts {
  readonly kind: "tcp" | "unix";
  /** Every `Host` we answer to, whole and literal, such as `127.0.0.1:6227`. */
  readonly hosts: readonly string[];
  /** Every `Origin` that is our own page, whole and literal, such as `http://127.0.0.1:6227`. */
  readonly origins: readonly string[];
}

/** How a listener was bound. */
export interface ListenerBinding {
  readonly port: number;
  /** Whether it speaks TLS itself. */
  readonly isSecure?: boolean;
  /** Under which other addresses people reach it, such as `https://terminals.example.com`, by configuration only. */
  readonly publicOrigins?: readonly string[];
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** What a program says that speaks HTTP over the unix socket. */
const UNIX_HOSTS = ["localhost"];

/** The facts of a listener on a TCP port. */
export function describeTcpListener({
  port,
  isSecure = false,
  publicOrigins = [],
}: ListenerBinding): ListenerFacts {
  const scheme = isSecure ? "https" : "http";
  const addresses = LOOPBACK_NAMES.map((name) => `${scheme}://${name}:${port}`);
  const urls = [...addresses, ...publicOrigins].map((address) => new URL(address));
  // Programs may write the port that a scheme has anyway; browsers leave it out.
  const written = urls.filter((url) => url.port === "").map((url) => `${url.host}:${portOf(url)}`);
  return {
    kind: "tcp",
    hosts: [...urls.map((url) => url.host), ...written],
    origins: urls.map((url) => url.origin),
  };
}

/** The facts of the listener on the unix socket, which no browser can reach. */
export const describeUnixListener = (): ListenerFacts => ({
  kind: "unix",
  hosts: UNIX_HOSTS,
  origins: [],
});

const portOf = (url: URL): string => (url.protocol === "https:" ? "443" : "80");
