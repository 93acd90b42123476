// What the cells of the matrix are made of.
import type { Content, HostLine, PageLines } from "./cell.ts";

/** Addresses that are not there, and those that look like ones that are. */
export const UNKNOWN_PATHS: readonly string[] = [
  "/index.html",
  "//",
  "//healthz",
  "/healthz/",
  "/Healthz",
  "/healthz%00",
  "/healthz%2f",
  "/%68ealthz",
  "/healthz;a=b",
  "/healthz#a",
  "/./healthz",
  "/docs/",
  "/docs/../api/host",
  "/app.js/..",
  "/app.css.map",
  "/favicon.ico",
  "/robots.txt",
  "/.well-known/security.txt",
  "/.env",
  "/token",
  "/state/token",
  "/..%2ftoken",
  "/../../etc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/api",
  "/api/",
  "/api/./host",
  "/api//host",
  "/api/host/",
  "/api/Host",
  "/%61pi/host",
  "/api%2fhost",
  "/healthz/../api/host",
  "/..;/api/host",
  "/api/terminals/",
  "/api/terminals//input",
  "/api/terminals;x/input",
  "/api/terminal",
  "/api/terminal/",
  "/api/terminal/ws/",
  "/api/terminal/WS",
  "/api/proof/",
  "/api/proof/../host",
  "/api/tokens/",
  "/api/tickets/x",
  "/api/__proto__",
  "/constructor",
  "/ws",
  "/socket.io/",
  "/ahp/",
  "/mcp",
  "/sse",
  "/rpc",
  "/graphql",
  "/metrics/",
  "/debug/pprof/",
  "/json/version",
];

/** All methods that the matrix tries. */
export const METHODS: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

const FOREIGN_HOSTS = (port: number): readonly string[] => [
  "evil.example",
  `evil.example:${port}`,
  `localhost.evil.example:${port}`,
  `127.0.0.1.evil.example:${port}`,
  `127.0.0.1.nip.io:${port}`,
  `evil-localhost:${port}`,
  `sub.localhost:${port}`,
  "localhost",
  "127.0.0.1",
  "[::1]",
  "localhost:80",
  `localhost:${port + 1}`,
  `localhost:0${port}`,
  `localhost:${port}:${port}`,
  `LOCALHOST:${port}`,
  `LocalHost:${port}`,
  `localhost.:${port}`,
  `127.0.0.1.:${port}`,
  `user@127.0.0.1:${port}`,
  `127.0.0.1:${port}@evil.example`,
  `127.0.0.1:${port}, evil.example`,
  `127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}`,
  `127.1:${port}`,
  `0.0.0.0:${port}`,
  `2130706433:${port}`,
  `0x7f000001:${port}`,
  `[::]:${port}`,
  `[0:0:0:0:0:0:0:1]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `::1:${port}`,
  `[::1%25lo]:${port}`,
  "",
];

/** How our own hosts are called. */
export const ourHosts = (port: number): readonly HostLine[] => [
  ...["127.0.0.1", "localhost", "[::1]"].map((name) => host([`Host: ${name}:${port}`])),
  host([
    `Host: localhost:${port}`,
    "X-Forwarded-Host: evil.example",
    "Forwarded: for=127.0.0.1;host=evil.example",
  ]),
];

/** How others are called, and what only looks like ours. */
export function foreignHosts(port: number): readonly HostLine[] {
  const ours = `Host: 127.0.0.1:${port}`;
  return [
    ...FOREIGN_HOSTS(port).map((name) => foreign([`Host: ${name}`])),
    foreign([]),
    foreign([ours, ours]),
    foreign([ours, "Host: evil.example"]),
    foreign(["Host: evil.example", ours]),
    foreign(["Host: evil.example", `X-Forwarded-Host: 127.0.0.1:${port}`]),
    foreign([ours], `http://127.0.0.1:${port}`),
    foreign([ours], "http://evil.example"),
  ];
}

const host = (lines: readonly string[]): HostLine => ({ lines, isOurs: true });
const foreign = (lines: readonly string[], before = ""): HostLine => ({
  lines,
  before,
  isOurs: false,
});

/** What a program says about its page, which has none. */
export const NO_PAGE: PageLines = { lines: [], isOurs: true };

/** The pages that requests come from, by their origin. */
export const origins = (port: number): readonly PageLines[] => [
  NO_PAGE,
  ...["127.0.0.1", "localhost", "[::1]"].map((name) => ours([`Origin: http://${name}:${port}`])),
  ...[
    "null",
    "",
    "http://evil.example",
    `http://localhost:${port + 1}`,
    "http://localhost",
    `https://localhost:${port}`,
    `http://127.0.0.1.evil.example:${port}`,
    `http://localhost.evil.example:${port}`,
    `http://localhost:${port}.evil.example`,
    `http://evil.example/http://localhost:${port}`,
    `http://LOCALHOST:${port}`,
    `http://localhost:${port}/`,
    "file://",
  ].map((origin) => elsewhere([`Origin: ${origin}`])),
  { ...elsewhere(["Origin: vscode-file://vscode-app"]), isEditor: true },
  {
    ...elsewhere(["Origin: vscode-file://vscode-app", "Sec-Fetch-Site: cross-site"]),
    isEditor: true,
  },
  ...["vscode-file://vscode-app.evil.example", "vscode-webview://vscode-app"].map((origin) =>
    elsewhere([`Origin: ${origin}`]),
  ),
  elsewhere(["Origin: vscode-file://vscode-app", "Origin: http://evil.example"]),
  elsewhere([`Origin: http://localhost:${port}`, "Origin: http://evil.example"]),
  elsewhere([`Origin: http://localhost:${port}`, `Origin: http://localhost:${port}`]),
];

/** The pages that requests come from, by what a browser says of them. */
export const SITES: readonly PageLines[] = [
  ours(["Sec-Fetch-Site: same-origin"]),
  ours(["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]),
  elsewhere(["Sec-Fetch-Site: same-site"]),
  elsewhere(["Sec-Fetch-Site: cross-site"]),
  elsewhere(["Sec-Fetch-Site: Same-Origin"]),
  elsewhere(["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]),
  elsewhere(["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"]),
  ...["iframe", "frame", "object", "embed"].map((place) =>
    elsewhere([
      "Sec-Fetch-Site: cross-site",
      "Sec-Fetch-Mode: navigate",
      `Sec-Fetch-Dest: ${place}`,
    ]),
  ),
  {
    lines: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    isOurs: false,
    isClick: true,
  },
];

function ours(lines: readonly string[]): PageLines {
  return { lines, isOurs: true };
}

function elsewhere(lines: readonly string[]): PageLines {
  return { lines, isOurs: false };
}

/** What a page elsewhere can send without asking first, and what looks like JSON but does not say so. */
export const OTHER_CONTENTS: readonly Content[] = [
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain",
  "text/plain; application/json",
  "application/jsonp",
  undefined,
].map((type) => ({ type, isJson: false }));
