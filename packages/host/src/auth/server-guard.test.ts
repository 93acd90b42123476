import { describe, expect, test } from "vitest";
import { startGuarded } from "./testing/guarded-server.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { closeOf, exchange, open, readHead, requestOf } from "./testing/raw-http.ts";
import { FREE_FAILURES, MAX_DELAY_MS } from "./failed-auth-limiter.ts";

const GET = "GET /api/terminals";
const WRONG = `Authorization: Bearer nacre_${"x".repeat(43)}`;
const CLOSE = "Connection: close";

describe("a request over the wire", () => {
  test("with the right token reaches the transport, without the token in it", async () => {
    await using server = await startGuarded();
    const { to, host, bearer, tokens } = server;
    const answer = await exchange(to, requestOf(GET, [host, bearer, CLOSE]));
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("let in") });
    const [reached] = server.reached;
    expect(reached?.admission).toMatchObject({
      caller: { id: "operator", scope: "operator", clientId: "operator" },
      credential: { name: "operator" },
      peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      source: "127.0.0.1",
    });
    expect(JSON.stringify(reached)).not.toContain(tokens.operatorSecret);
  });

  test.each([
    ["two Hosts", GET, (ours: string) => [ours, ours]],
    ["two Hosts of which one is foreign", GET, (ours: string) => [ours, "Host: evil.example"]],
    ["no Host", GET, () => []],
    ["a foreign Host", GET, () => ["Host: evil.example"]],
    ["upper case", GET, (ours: string) => [ours.replace("127.0.0.1", "LOCALHOST")]],
    ["a trailing dot", GET, (ours: string) => [ours.replace("127.0.0.1", "localhost.")]],
    ["user information", GET, (ours: string) => [ours.replace("127.0.0.1", "a:b@127.0.0.1")]],
    [
      "another form of IPv6",
      GET,
      (ours: string) => [ours.replace("127.0.0.1", "[0:0:0:0:0:0:0:1]")],
    ],
    [
      "IPv6 that means IPv4",
      GET,
      (ours: string) => [ours.replace("127.0.0.1", "[::ffff:127.0.0.1]")],
    ],
    ["no port", GET, () => ["Host: 127.0.0.1"]],
    [
      "our name in X-Forwarded-Host only",
      GET,
      (ours: string) => ["Host: evil.example", `X-Forwarded-${ours}`],
    ],
    ["an absolute target", "GET http://127.0.0.1/api/terminals", (ours: string) => [ours]],
    ["a foreign absolute target", "GET http://evil.example/", (ours: string) => [ours]],
    ["an asterisk", "OPTIONS *", (ours: string) => [ours]],
  ])("with %s gets 421 and no other byte, however right its token", async (_, line, hostsOf) => {
    await using server = await startGuarded();
    const headers = [...hostsOf(server.host), server.bearer];
    const answer = await exchange(server.to, requestOf(line, headers));
    expect(answer).toMatchObject({ status: 421, body: "" });
    expect(server.reached).toEqual([]);
    expect(server.records).toMatchObject([
      { action: "refuse", outcome: "forbidden", facts: { reason: "host", status: 421 } },
    ]);
  });

  test("in HTTP/1.0 without a Host is refused in the same way", async () => {
    await using server = await startGuarded();
    const answer = await exchange(server.to, `GET / HTTP/1.0\r\n${server.bearer}\r\n\r\n`);
    expect(answer).toMatchObject({ status: 421, body: "" });
  });

  test("is refused with the same words for every credential that is not right", async () => {
    const clock = new ManualClock();
    await using server = await startGuarded({ clock });
    const { to, host, tokens } = server;
    const short = tokens.create({
      name: "short",
      scope: "operator",
      expiresAt: new Date(clock.now() + 1000).toISOString(),
    });
    const gone = tokens.create({ name: "gone", scope: "operator" });
    tokens.revoke("gone");
    clock.advance(1000);
    const shown = [
      [],
      [WRONG],
      ["Authorization: Basic eDp5"],
      [`Authorization: Bearer ${short.token}`],
      [`Authorization: Bearer ${gone.token}`],
    ];
    const paths = ["GET /api/terminals", "GET /no/such/route", "DELETE /healthz"];
    const answers = await Promise.all(
      paths.flatMap((line) =>
        shown.slice(0, 3).map((headers) => exchange(to, requestOf(line, [host, ...headers]))),
      ),
    );
    const late = await Promise.all(
      shown.slice(3).map((headers) => exchange(to, requestOf(GET, [host, ...headers]))),
    );
    const words = new Set(
      [...answers, ...late].map(({ head, body }) => `${head.replace(/date: .*/i, "")}${body}`),
    );
    expect([...words]).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 401 .*"code":"unauthenticated"/s),
    ]);
    expect(server.reached).toEqual([]);
  });

  test("from another page is refused without a word about other origins", async () => {
    await using server = await startGuarded();
    const { to, host, bearer } = server;
    const foreign = await exchange(
      to,
      requestOf(GET, [host, bearer, "Origin: http://localhost:3000"]),
    );
    const preflight = await exchange(
      to,
      requestOf("OPTIONS /api/terminals", [
        host,
        "Origin: http://evil.example",
        "Access-Control-Request-Method: POST",
      ]),
    );
    expect([foreign, preflight]).toMatchObject([
      { status: 403, body: "" },
      { status: 403, body: "" },
    ]);
    expect(`${foreign.head}${preflight.head}`.toLowerCase()).not.toContain("access-control");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
    "with a body of %s is refused, with and without the token, and its sender reads why",
    async (type) => {
      await using server = await startGuarded();
      const body = "x".repeat(300_000);
      const headers = [server.host, `Content-Type: ${type}`, `Content-Length: ${body.length}`];
      const send = (more: readonly string[]) =>
        exchange(server.to, requestOf("POST /api/terminals", [...headers, ...more], body));
      expect(await send([])).toMatchObject({ status: 401 });
      expect(await send([server.bearer])).toMatchObject({ status: 415 });
      expect(server.reached).toEqual([]);
    },
  );

  test("with a large body and a foreign Host gets 421 and no other byte", async () => {
    await using server = await startGuarded();
    const body = "x".repeat(300_000);
    const headers = ["Host: evil.example", server.bearer, `Content-Length: ${body.length}`];
    const answer = await exchange(server.to, requestOf("POST /api/terminals", headers, body));
    expect(answer).toMatchObject({ status: 421, body: "" });
  });

  test("that announces a body which never comes is answered at once", async () => {
    await using server = await startGuarded();
    const headers = [server.host, "Content-Type: application/json", "Content-Length: 9"];
    const socket = await open(server.to);
    socket.write(requestOf("POST /api/terminals", headers));
    expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 401 /);
    const expecting = await exchange(
      server.to,
      requestOf("POST /x", [...headers, "Expect: 100-continue"]),
    );
    expect(expecting.head).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test("that waits for 100 Continue is told so once it is let in", async () => {
    await using server = await startGuarded();
    const { to, host, bearer } = server;
    const headers = [
      host,
      bearer,
      CLOSE,
      "Expect: 100-continue",
      "Content-Type: application/json",
      "Content-Length: 2",
    ];
    const answer = await exchange(to, requestOf("POST /api/terminals", headers, "{}"));
    expect(answer.status).toBe(100);
    expect(answer.body).toContain("200 OK");
  });

  test("for everybody needs no token and has no caller", async () => {
    await using server = await startGuarded();
    const answer = await exchange(
      server.to,
      requestOf("GET /healthz", [server.host, WRONG, CLOSE]),
    );
    expect(answer.status).toBe(200);
    expect(server.reached).toMatchObject([{ admission: undefined }]);
    expect(server.reached[0]?.headers.authorization).toBeUndefined();
  });

  test("with a spoofed address is audited with the real one", async () => {
    await using server = await startGuarded();
    const spoofed = [
      "X-Forwarded-For: 203.0.113.9",
      "Forwarded: for=203.0.113.9",
      "X-Real-IP: 203.0.113.9",
    ];
    const answer = await exchange(server.to, requestOf(GET, [server.host, ...spoofed]));
    expect(answer.status).toBe(401);
    expect(server.records).toMatchObject([{ peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }]);
  });

  test("with more headers than are read is refused", async () => {
    await using server = await startGuarded();
    const more = Array.from({ length: 200 }, (_, index) => `X-${index}: 1`);
    const answer = await exchange(server.to, requestOf(GET, [server.host, server.bearer, ...more]));
    expect(answer.status).toBe(431);
  });

  test("names its client by a label behind the caller, never another's", async () => {
    await using server = await startGuarded();
    const send = (...labels: readonly string[]) =>
      exchange(
        server.to,
        requestOf(GET, [
          server.host,
          server.bearer,
          CLOSE,
          ...labels.map((label) => `Nacre-Client-Id: ${label}`),
        ]),
      );
    expect((await send("laptop")).status).toBe(200);
    expect(server.reached[0]?.admission?.caller.clientId).toBe("operator#laptop");
    const refused = await Promise.all([
      send("other#laptop"),
      send("a b"),
      send(""),
      send("one", "two"),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });
});

test("what a transport throws ends its connection and is reported", async () => {
  const failure = new Error("broken");
  await using server = await startGuarded({ handleRequest: () => Promise.reject(failure) });
  const answer = await exchange(server.to, requestOf(GET, [server.host, server.bearer]));
  expect(answer.head).toBe("");
  expect(server.reports).toEqual([failure]);
});

test("who guesses is answered ever later, but a right token is served at once", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const { to, host, bearer } = server;
  const guess = async (): Promise<{ early: string; late: string }> => {
    const socket = await open(to);
    const closed = closeOf(socket);
    const before = server.records.length;
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.write(requestOf(GET, [host, WRONG]));
    // The audit has the refusal as soon as it is decided; the answer waits for the clock.
    while (server.records.length === before) await new Promise(setImmediate);
    const early = text;
    clock.advance(MAX_DELAY_MS);
    await closed;
    return { early, late: text };
  };
  for (let count = 0; count < FREE_FAILURES; count += 1) await guess();
  const slowed = await guess();
  expect(slowed).toEqual({ early: "", late: expect.stringMatching(/^HTTP\/1\.1 401 /) });
  const right = await exchange(to, requestOf(GET, [host, bearer, CLOSE]));
  expect(right.status).toBe(200);
});
