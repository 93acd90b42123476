import { describe, expect, test } from "vitest";
import { startGuarded } from "./testing/guarded-server.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import {
  closeOf,
  exchange,
  open,
  readHead,
  requestOf,
  WEBSOCKET_HEADERS,
} from "./testing/raw-http.ts";
import { TICKET_MS } from "./tickets.ts";

type Server = Awaited<ReturnType<typeof startGuarded>>;

const PATH = "/api/terminals/terminal:a/connect";
const WRONG = `Authorization: Bearer nacre_${"x".repeat(43)}`;

/** Asks for an upgrade; gives the status and closes. */
async function upgrade(
  server: Server,
  target: string,
  headers: readonly string[] = [],
): Promise<number> {
  const socket = await open(server.to);
  socket.write(requestOf(`GET ${target}`, [server.host, ...WEBSOCKET_HEADERS, ...headers]));
  const head = await readHead(socket);
  const closed = closeOf(socket);
  socket.destroy();
  await closed;
  return Number(head.split(" ")[1]);
}

describe("an upgrade", () => {
  const originsOf = ({ port }: Server) => [
    { origin: `http://127.0.0.1:${port}`, isOurs: true },
    { origin: undefined, isOurs: true },
    { origin: "null", isOurs: false },
    { origin: "http://evil.example", isOurs: false },
    { origin: "http://localhost:1", isOurs: false },
    { origin: `http://127.0.0.1.evil.example:${port}`, isOurs: false },
    { origin: `http://localhost.evil.example:${port}`, isOurs: false },
    { origin: `http://evil.example/http://localhost:${port}`, isOurs: false },
  ];

  test.each([PATH, "/api/terminal/ws", "/ahp", "/", "/no/such/path"])(
    "of %s is let in from our own page or no page with the right token, and in no other case",
    async (path) => {
      await using server = await startGuarded();
      const tokens = [
        { shown: [], isRight: false },
        { shown: [WRONG], isRight: false },
        { shown: [server.bearer], isRight: true },
      ];
      const cells = originsOf(server).flatMap((from) =>
        tokens.map((token) => ({ ...from, ...token })),
      );
      const seen = await Promise.all(
        cells.map(({ origin, shown }) =>
          upgrade(server, path, [...shown, ...(origin === undefined ? [] : [`Origin: ${origin}`])]),
        ),
      );
      const expected = cells.map(({ isOurs, isRight }) => (isOurs ? (isRight ? 101 : 401) : 403));
      expect(seen).toEqual(expected);
      expect(server.reached).toHaveLength(2);
    },
  );

  test("takes its token from the protocols and never shows it to the transport", async () => {
    await using server = await startGuarded();
    const secret = server.tokens.operatorSecret;
    const offered = `Sec-WebSocket-Protocol: nacre.bearer.${secret}, nacre.control.v1`;
    expect(await upgrade(server, PATH, [offered])).toBe(101);
    expect(await upgrade(server, PATH, [`Sec-WebSocket-Protocol: nacre.bearer.${secret}`])).toBe(
      101,
    );
    const protocols = server.reached.map(({ headers }) => headers["sec-websocket-protocol"]);
    expect(protocols).toEqual(["nacre.control.v1", undefined]);
    expect(JSON.stringify(server.reached)).not.toContain(secret);
  });

  test.each(["/", "/ahp"])("of %s takes `tkn` and hides it", async (path) => {
    await using server = await startGuarded();
    const secret = server.tokens.operatorSecret;
    expect(await upgrade(server, `${path}?a=1&tkn=${secret}&b=%20`)).toBe(101);
    expect(await upgrade(server, `${path}?tkn=${secret}x`)).toBe(401);
    expect(server.reached).toMatchObject([{ url: `${path}?a=1&b=%20` }]);
  });

  test("of any other path with the right token in its query is refused", async () => {
    await using server = await startGuarded();
    const secret = server.tokens.operatorSecret;
    expect(await upgrade(server, `${PATH}?tkn=${secret}`)).toBe(401);
    expect(await upgrade(server, `${PATH}?token=${secret}`, [server.bearer])).toBe(401);
    expect(server.reached).toEqual([]);
  });

  test("by ticket is let in once, at its path, in its time, as the client that asked for it", async () => {
    const clock = new ManualClock();
    await using server = await startGuarded({ clock });
    const info = server.tokens.create({ name: "web", scope: "readOnly" });
    const identity = server.tokens.verify(info.token);
    const ticketFor = () => server.tickets.issue(identity!.caller, { path: PATH }).ticket;
    const ticket = ticketFor();
    expect(await upgrade(server, `${PATH}?cursor=4&ticket=${ticket}`)).toBe(101);
    expect(server.reached).toMatchObject([
      {
        url: `${PATH}?cursor=4`,
        admission: { caller: { id: "web", scope: "readOnly" }, credential: { name: "web" } },
      },
    ]);
    expect(await upgrade(server, `${PATH}?ticket=${ticket}`)).toBe(401);
    expect(await upgrade(server, `/ahp?ticket=${ticketFor()}`)).toBe(401);
    const late = ticketFor();
    clock.advance(TICKET_MS);
    expect(await upgrade(server, `${PATH}?ticket=${late}`)).toBe(401);
    const revoked = ticketFor();
    server.tokens.revoke("web");
    expect(await upgrade(server, `${PATH}?ticket=${revoked}`)).toBe(401);
  });

  test("that is refused gets a whole answer and its connection is closed", async () => {
    await using server = await startGuarded();
    const answer = await exchange(
      server.to,
      requestOf(`GET ${PATH}`, [server.host, ...WEBSOCKET_HEADERS], "early bytes"),
    );
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "unauthenticated" } });
    expect(answer.head.toLowerCase()).toContain(`content-length: ${answer.body.length}`);
  });

  test("to anything but a WebSocket is refused", async () => {
    await using server = await startGuarded();
    const headers = [
      server.host,
      server.bearer,
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
    ];
    expect(await exchange(server.to, requestOf("GET /", headers))).toMatchObject({ status: 400 });
  });

  test("is audited when it begins and when it ends, by the wire it is for", async () => {
    await using server = await startGuarded();
    for (const path of [PATH, "/api/terminal/ws", "/ahp"])
      await upgrade(server, path, [server.bearer]);
    while (server.records.length < 6) await new Promise(setImmediate);
    const said = server.records.map(({ action, via, caller, outcome }) => [
      action,
      via,
      caller,
      outcome,
    ]);
    expect(said.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
      ["connect", "ahp", "operator", "ok"],
      ["connect", "raw", "operator", "ok"],
      ["connect", "service", "operator", "ok"],
      ["disconnect", "ahp", "operator", "ok"],
      ["disconnect", "raw", "operator", "ok"],
      ["disconnect", "service", "operator", "ok"],
    ]);
  });
});
