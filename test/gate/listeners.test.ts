// Whatever listens is behind the gate: the few places that make or hear a server are named here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const SOURCES = readdirSync(join(ROOT, "packages"))
  .map((name) => `packages/${name}/src`)
  .flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" }).map((path) =>
      join(directory, path),
    ),
  )
  .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path))
  .filter((path) => !path.endsWith(".test.ts") && !path.includes("/testing/"));

const HOST = "packages/host/src";

/** No gate of callers: only its own user's daemon may connect, over a socket that the kernel says whose end it is. */
const KEEPER = `${HOST}/keeper/main.ts`;

test.each([
  [
    "hears requests, upgrades and connections",
    /\.(on|once|addListener|prependListener)\(\s*["'](request|upgrade|connection|connect|stream|secureConnection|check\w+)["']/,
    [`${HOST}/auth/server-guard.ts`, `${HOST}/keeper/keeper-link.ts`, KEEPER],
  ],
  [
    "hands a connection to a server",
    /\.emit\(\s*["'](connection|request|upgrade)["']/,
    [`${HOST}/daemon/unix-socket-mux.ts`],
  ],
  [
    "makes a server",
    /\bcreate(Http|Https|Http2|Secure)?Server\(|\bnew (Http|Https|Net|Tls)?Server\(/,
    [`${HOST}/daemon/main.ts`, KEEPER],
  ],
  [
    "makes a server of WebSockets, which does not listen itself",
    /\bnew WebSocketServer\(/,
    [`${HOST}/socket/client-sockets.ts`],
  ],
  ["listens", /\.listen\(/, [`${HOST}/daemon/listen.ts`, KEEPER]],
])("only the gate and what it stands before %s", (_, pattern, allowed) => {
  const found = SOURCES.filter((path) => pattern.test(readFileSync(join(ROOT, path), "utf8")));
  expect(found).toEqual(allowed);
});

test("WebSockets are only made of what the gate let in", () => {
  const upgrades = readFileSync(join(ROOT, HOST, "socket/client-sockets.ts"), "utf8");
  expect(upgrades.match(/new WebSocketServer\(\{\s*noServer: true/g)).toHaveLength(1);
});
