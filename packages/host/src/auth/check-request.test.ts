import { describe, expect, test } from "vitest";
import {
  checkContent,
  checkRequest,
  describeTcpListener,
  describeUnixListener,
  MAX_HEADERS,
  type RequestFacts,
} from "./check-request.ts";

const OURS = "127.0.0.1:6227";
const TOKEN = `nacre_${"a".repeat(43)}`;

/** A request for something private, as a program sends it; headers are written as `name: value`. */
function facts(change: Partial<RequestFacts> = {}, headers: readonly string[] = []): RequestFacts {
  return {
    listener: describeTcpListener({ port: 6227 }),
    publicPaths: ["/", "/healthz"],
    method: "GET",
    target: "/api/terminals",
    rawHeaders: [`Host: ${OURS}`, ...headers].flatMap(splitHeader),
    upgrade: false,
    ...change,
  };
}

const splitHeader = (header: string): readonly string[] => {
  const at = header.indexOf(": ");
  return [header.slice(0, at), header.slice(at + 2)];
};

/** The verdict in one word: the status of a refusal, `public`, or what credential was shown. */
function say(change: Partial<RequestFacts> = {}, headers: readonly string[] = []): string {
  const verdict = checkRequest(facts(change, headers));
  switch (verdict.outcome) {
    case "refused":
      return `${verdict.refusal.status} ${verdict.refusal.reason}`;
    case "public":
      return "public";
    case "credential":
      return verdict.presented.kind;
  }
}

const withHost = (...hosts: readonly string[]): string =>
  say({ rawHeaders: hosts.flatMap((host) => ["Host", host]) });

describe("Host", () => {
  test.each(["127.0.0.1:6227", "localhost:6227", "[::1]:6227"])("%s is ours", (host) => {
    expect(withHost(host)).toBe("none");
  });

  test.each([
    "evil.example",
    "evil.example:6227",
    "127.0.0.1",
    "localhost",
    "[::1]",
    "LOCALHOST:6227",
    "Localhost:6227",
    "localhost.:6227",
    "localhost:6227.",
    "localhost:06227",
    "localhost:6228",
    "localhost:6227:6227",
    "user@localhost:6227",
    "user:pass@127.0.0.1:6227",
    "127.0.0.1.evil.example:6227",
    "localhost.evil.example:6227",
    "evil-localhost:6227",
    "127.1:6227",
    "127.0.0.2:6227",
    "0.0.0.0:6227",
    "2130706433:6227",
    "0x7f000001:6227",
    "::1:6227",
    "[::]:6227",
    "[0:0:0:0:0:0:0:1]:6227",
    "[::ffff:127.0.0.1]:6227",
    "[::1%25lo]:6227",
    "localhost:6227/",
    "http://localhost:6227",
    "localhost:6227, localhost:6227",
    "",
  ])("%j is not", (host) => {
    expect(withHost(host)).toBe("421 host");
  });

  test("none and two are refused, even the same twice", () => {
    expect(withHost()).toBe("421 host");
    expect(withHost(OURS, OURS)).toBe("421 host");
    expect(withHost(OURS, "evil.example")).toBe("421 host");
    expect(say({}, ["hOsT: evil.example"])).toBe("421 host");
  });

  test("what a proxy would say does not count", () => {
    const forwarded = ["X-Forwarded-Host: localhost:6227", "Forwarded: host=localhost:6227"];
    const rawHeaders = ["Host: evil.example", ...forwarded].flatMap(splitHeader);
    expect(say({ rawHeaders })).toBe("421 host");
    expect(say({}, ["X-Forwarded-Host: evil.example"])).toBe("none");
  });

  test.each([`http://${OURS}/api/terminals`, "http://evil.example/", OURS, "*", ""])(
    "the target %j is refused whatever the header says",
    (target) => {
      expect(say({ target })).toBe("421 host");
    },
  );

  test("names of the configuration are answered with and without the port of their scheme", () => {
    const listener = describeTcpListener({
      port: 6227,
      publicOrigins: ["https://terminals.example"],
    });
    const hosts = ["terminals.example", "terminals.example:443", "terminals.example:6227"];
    const said = hosts.map((host) => say({ listener, rawHeaders: ["Host", host] }));
    expect(said).toEqual(["none", "none", "421 host"]);
    expect(listener.origins).toContain("https://terminals.example");
  });
});

describe("Origin", () => {
  test.each(["http://127.0.0.1:6227", "http://localhost:6227", "http://[::1]:6227"])(
    "%s is ours",
    (origin) => {
      expect(say({}, [`Origin: ${origin}`])).toBe("none");
    },
  );

  test.each([
    "null",
    "http://evil.example",
    "http://localhost:3000",
    "https://localhost:6227",
    "http://localhost",
    "http://127.0.0.1.evil.example:6227",
    "http://localhost.evil.example:6227",
    "http://evil.example/http://localhost:6227",
    "HTTP://LOCALHOST:6227",
    "http://localhost:6227/",
    "http://localhost:62270",
    "",
  ])("%j is not", (origin) => {
    expect(say({}, [`Origin: ${origin}`])).toBe("403 origin");
    expect(say({ upgrade: true }, [`Origin: ${origin}`, "Upgrade: websocket"])).toBe("403 origin");
  });

  test("the window of an editor may connect to agent hosts, and do nothing else", () => {
    const editor = ["Origin: vscode-file://vscode-app", "Sec-Fetch-Site: cross-site"];
    const asking = ["Connection: Upgrade", "Upgrade: websocket", ...editor];
    const targets = ["/", "/ahp", "/api/terminal/ws", "/ahp/"];
    expect(targets.map((target) => say({ upgrade: true, target }, asking))).toEqual([
      "none",
      "none",
      "403 origin",
      "403 origin",
    ]);
    expect(say({ target: "/ahp" }, editor)).toBe("403 origin");
    const other = asking.map((line) => line.replace("vscode-app", "vscode-app.evil.example"));
    expect(say({ upgrade: true, target: "/ahp" }, other)).toBe("403 origin");
  });

  test("two are refused", () => {
    expect(say({}, ["Origin: http://localhost:6227", "Origin: http://localhost:6227"])).toBe(
      "403 origin",
    );
  });

  test("over the unix socket any is refused, because no browser comes that way", () => {
    const rawHeaders = ["Host", "localhost", "Origin", "http://localhost:6227"];
    expect(say({ listener: describeUnixListener(), rawHeaders })).toBe("403 origin");
    expect(say({ listener: describeUnixListener(), rawHeaders: rawHeaders.slice(0, 2) })).toBe(
      "none",
    );
  });

  test("a preflight is refused, also from our own page and for what is public", () => {
    expect(say({ method: "OPTIONS" })).toBe("403 method");
    expect(say({ method: "OPTIONS", target: "/" }, ["Origin: http://localhost:6227"])).toBe(
      "403 method",
    );
  });
});

describe("Sec-Fetch-Site", () => {
  test.each(["same-origin", "none"])("%s is let through", (site) => {
    expect(say({}, [`Sec-Fetch-Site: ${site}`])).toBe("none");
  });

  test.each(["cross-site", "same-site", "Same-Origin", "", "same-origin, none"])(
    "%j is refused",
    (site) => {
      expect(say({}, [`Sec-Fetch-Site: ${site}`])).toBe("403 site");
    },
  );

  const clicked = [
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-Dest: document",
  ];

  test("a link that was clicked elsewhere leads to the public page and nowhere else", () => {
    expect(say({ target: "/" }, clicked)).toBe("public");
    expect(say({ target: "/api/terminals" }, clicked)).toBe("403 site");
    expect(say({ target: "/", method: "POST" }, clicked)).toBe("403 site");
    expect(say({ target: "/", upgrade: true }, clicked)).toBe("403 site");
  });

  test("a frame, a picture or a fetch of the public page from elsewhere is refused", () => {
    const framed = [...clicked.slice(0, 2), "Sec-Fetch-Dest: iframe"];
    const fetched = [
      "Sec-Fetch-Site: cross-site",
      "Sec-Fetch-Mode: no-cors",
      "Sec-Fetch-Dest: document",
    ];
    expect(say({ target: "/" }, framed)).toBe("403 site");
    expect(say({ target: "/" }, fetched)).toBe("403 site");
    expect(say({ target: "/" }, [...clicked, "Sec-Fetch-Dest: iframe"])).toBe("403 site");
  });
});

describe("what is public", () => {
  test.each(["GET", "HEAD"])("%s of a listed path", (method) => {
    expect(say({ method, target: "/healthz" })).toBe("public");
    expect(say({ method, target: "/?theme=dark" })).toBe("public");
  });

  test.each([
    "/healthz/",
    "/Healthz",
    "//healthz",
    "/healthz/..",
    "/%68ealthz",
    "/./healthz",
    "/x",
  ])("%s is not a listed path", (target) => {
    expect(say({ target })).toBe("none");
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "TRACE"])("%s of it is not", (method) => {
    expect(say({ method, target: "/healthz" })).toBe("none");
  });

  test("the proof is asked for by POST only, as JSON", () => {
    const target = "/api/proof";
    expect(
      say({ method: "POST", target }, ["Content-Type: application/json", "Content-Length: 9"]),
    ).toBe("public");
    expect(say({ method: "POST", target }, ["Content-Type: text/plain", "Content-Length: 9"])).toBe(
      "415 content",
    );
    expect(say({ target })).toBe("none");
  });

  test("a wrong credential does not hide it, one in the address does", () => {
    expect(say({ target: "/" }, ["Authorization: Basic eDp5"])).toBe("public");
    expect(say({ target: `/?token=${TOKEN}` })).toBe("unreadable");
    expect(say({ target: `/?tkn=${TOKEN}` })).toBe("unreadable");
  });
});

test("an upgrade is a GET to a WebSocket", () => {
  const bearer = `Authorization: Bearer ${TOKEN}`;
  expect(say({ upgrade: true }, ["Upgrade: WebSocket", bearer])).toBe("token");
  expect(say({ upgrade: true }, ["Upgrade: h2c", bearer])).toBe("400 upgrade");
  expect(say({ upgrade: true, method: "POST" }, ["Upgrade: websocket", bearer])).toBe(
    "400 upgrade",
  );
});

test("a request with more headers than are read is refused, because one of them may not have been seen", () => {
  const more = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
  expect(say({}, more(MAX_HEADERS - 1))).toBe("none");
  expect(say({}, more(MAX_HEADERS))).toBe("431 headers");
});

describe("a body", () => {
  const check = (...headers: readonly string[]) =>
    checkContent(headers.flatMap(splitHeader))?.status;

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "may be %s",
    (type) => {
      expect(check(`Content-Type: ${type}`, "Content-Length: 2")).toBeUndefined();
      expect(check(`Content-Type: ${type}`, "Transfer-Encoding: chunked")).toBeUndefined();
    },
  );

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
    "text/plain; application/json",
    "application/jsonp",
    "",
  ])("may not be %j", (type) => {
    expect(check(`Content-Type: ${type}`, "Content-Length: 2")).toBe(415);
    expect(check(`Content-Type: ${type}`, "Transfer-Encoding: chunked")).toBe(415);
  });

  test("needs exactly one type, and none needs none", () => {
    expect(check("Content-Length: 2")).toBe(415);
    expect(
      check("Content-Type: application/json", "Content-Type: text/plain", "Content-Length: 2"),
    ).toBe(415);
    expect(check()).toBeUndefined();
    expect(check("Content-Length: 0")).toBeUndefined();
  });
});
