// The cells of the matrix: not all there could be, but each value of a dimension with every path, method and credential it matters for.
import { Random } from "../support/random.ts";
import { type Cell, type Credential, CREDENTIALS, type HostLine, type Way } from "./cell.ts";
import {
  foreignHosts,
  METHODS,
  NO_PAGE,
  origins,
  OTHER_CONTENTS,
  ourHosts,
  SITES,
  UNKNOWN_PATHS,
} from "./dimensions.ts";
import { EXPECTED_ROUTES, EXPECTED_UPGRADES } from "./expected-routes.ts";

/** The same for every run, so that a failure can be looked at again. */
const SEED = 20_261_115;

const RANDOM_PATHS = 24;

const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/** Who has nothing, and who has everything. */
const EXTREMES: readonly Credential[] = ["none", "operator"];

/** Addresses where only other protocols are spoken. */
const SOCKET_PATHS = EXPECTED_UPGRADES.map(({ path }) => path);

/** What the parts of the matrix are about. */
export const BLOCKS = ["credential", "host", "origin", "site", "content", "upgrade"] as const;

/** All cells of the matrix for a daemon at this port, by what they are about. */
export function cellsOf(port: number): Readonly<Record<(typeof BLOCKS)[number], readonly Cell[]>> {
  const random = new Random(SEED);
  const hosts = ourHosts(port);
  const anyHost = (): HostLine => random.pick(hosts);
  const paths = allPaths(random);
  const asked = paths.flatMap((path) =>
    METHODS.map((method) => ({ ...addressOf(path), method, page: NO_PAGE })),
  );
  return {
    credential: asked.flatMap((one) =>
      CREDENTIALS.flatMap((credential) =>
        hosts.slice(0, 3).map((host) => ({ ...one, credential, host })),
      ),
    ),
    host: asked.flatMap((one) =>
      foreignHosts(port).map((host) => ({ ...one, credential: random.pick(EXTREMES), host })),
    ),
    origin: asked.flatMap((one) =>
      origins(port).map((page) => {
        const credential = random.pick(CREDENTIALS);
        return { ...one, page, credential, host: anyHost() };
      }),
    ),
    site: asked.flatMap((one) =>
      SITES.map((page) => {
        const credential = random.pick(EXTREMES);
        return { ...one, page, credential, host: anyHost() };
      }),
    ),
    content: asked
      .filter(({ method }) => !SAFE_METHODS.includes(method))
      .flatMap((one) =>
        OTHER_CONTENTS.flatMap((content) =>
          EXTREMES.map((credential) => ({ ...one, content, credential, host: anyHost() })),
        ),
      ),
    upgrade: upgradesOf(port, paths),
  };
}

/** Every path that becomes a WebSocket or does not, by every way to show who asks, from every page and by every name. */
function upgradesOf(port: number, paths: readonly string[]): readonly Cell[] {
  const random = new Random(SEED);
  const hosts = ourHosts(port);
  const cellOf = (path: string, way: Way, rest: Partial<Cell>): Cell => ({
    ...addressOf(path),
    method: "GET",
    credential: "operator",
    page: NO_PAGE,
    host: random.pick(hosts),
    upgrade: { way, protocol: "websocket" },
    ...rest,
  });
  const ways: readonly Way[] = ["header", "protocol", "tkn"];
  return [
    ...SOCKET_PATHS.flatMap((path) =>
      ways.flatMap((way) =>
        CREDENTIALS.flatMap((credential) =>
          [...origins(port), ...SITES].map((page) => cellOf(path, way, { credential, page })),
        ),
      ),
    ),
    ...SOCKET_PATHS.flatMap((path) =>
      foreignHosts(port).flatMap((host) =>
        EXTREMES.map((credential) => cellOf(path, "protocol", { credential, host })),
      ),
    ),
    ...paths.flatMap((path) =>
      CREDENTIALS.map((credential) => cellOf(path, random.pick(ways), { credential })),
    ),
    ...SOCKET_PATHS.flatMap((path) => [
      ...METHODS.map((method) => cellOf(path, "header", { method })),
      ...["h2c", "websocket, h2c", "TLS/1.0"].map((protocol) =>
        cellOf(path, "header", { upgrade: { way: "header", protocol } }),
      ),
    ]),
  ];
}

function allPaths(random: Random): readonly string[] {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_.~%2f";
  const part = (): string =>
    Array.from({ length: random.between(1, 8) }, () =>
      letters.charAt(random.between(0, letters.length - 4)),
    ).join("");
  const madeUp = Array.from({ length: RANDOM_PATHS }, () =>
    Array.from({ length: random.between(1, 5) }, () => `/${part()}`).join(""),
  );
  const known = EXPECTED_ROUTES.map(({ path }) => path);
  return [...new Set([...known, ...SOCKET_PATHS, ...UNKNOWN_PATHS, ...madeUp])];
}

const addressOf = (path: string): Pick<Cell, "path" | "routes"> => ({
  path,
  routes: EXPECTED_ROUTES.filter((route) => route.path === path),
});
