import { expect, test } from "vitest";
import { splitTarget } from "./check-request.ts";
import { findPresentedCredential } from "./presented-credential.ts";

const TOKEN = `nacre_${"a".repeat(43)}`;

interface Shown {
  readonly target?: string;
  readonly upgrade?: boolean;
}

/** What kind of credential a request shows; headers are written as `name: value`. */
function say(
  { target = "/api/terminals", upgrade = false }: Shown,
  headers: readonly string[] = [],
) {
  const rawHeaders = headers.flatMap((header) => {
    const at = header.indexOf(": ");
    return [header.slice(0, at), header.slice(at + 2)];
  });
  return findPresentedCredential({ ...splitTarget(target), rawHeaders, upgrade }).kind;
}

const upgrade = { upgrade: true, target: "/api/terminals/terminal:a/connect" };
const ws = "Upgrade: websocket";

test("a credential comes in the Authorization header", () => {
  expect(say({}, [`Authorization: Bearer ${TOKEN}`])).toBe("token");
  expect(say({}, [`AUTHORIZATION: bearer ${TOKEN}`])).toBe("token");
});

test.each([
  "",
  "Bearer",
  "Bearer ",
  `Basic ${TOKEN}`,
  TOKEN,
  `Bearer ${TOKEN} ${TOKEN}`,
  `Bearer  ${TOKEN}`,
])("Authorization: %j is none", (value) => {
  expect(say({}, [`Authorization: ${value}`])).toBe("unreadable");
});

test("two credentials are none, however right", () => {
  const bearer = `Authorization: Bearer ${TOKEN}`;
  expect(say({}, [bearer, bearer])).toBe("unreadable");
  const offered = `Sec-WebSocket-Protocol: nacre.bearer.${TOKEN}`;
  expect(say(upgrade, [ws, bearer, offered])).toBe("unreadable");
  expect(say({ ...upgrade, target: `${upgrade.target}?ticket=x&ticket=x` }, [ws])).toBe(
    "unreadable",
  );
});

test("a credential comes among the protocols of an upgrade, and only of an upgrade", () => {
  const offered = `Sec-WebSocket-Protocol: nacre.control.v1, nacre.bearer.${TOKEN}`;
  expect(say(upgrade, [ws, offered])).toBe("token");
  expect(say({}, [offered])).toBe("none");
});

test("a credential comes as a ticket in the query of an upgrade, and only of an upgrade", () => {
  expect(say({ ...upgrade, target: `${upgrade.target}?cursor=3&ticket=x` }, [ws])).toBe("ticket");
  expect(say({ target: "/api/terminals?ticket=x" })).toBe("none");
});

test.each(["/", "/ahp"])("a token comes as `tkn` in the query of an upgrade of %s", (path) => {
  expect(say({ upgrade: true, target: `${path}?tkn=${TOKEN}` }, [ws])).toBe("token");
  expect(say({ upgrade: true, target: `${path}?tkn=short` }, [ws])).toBe("token");
});

test.each([
  "/ahp/?tkn=",
  "/api/terminals?tkn=",
  "/ahp?token=",
  "/ahp?x=1&a=",
  "/api/events?access_token=",
])("is refused in the query of %s", (target) => {
  expect(say({ upgrade: true, target: `${target}${TOKEN}` }, [ws])).toBe("unreadable");
  expect(say({ target: `${target}${TOKEN}` })).toBe("unreadable");
  expect(say({ target: `${target}${TOKEN}` }, [`Authorization: Bearer ${TOKEN}`])).toBe(
    "unreadable",
  );
});
