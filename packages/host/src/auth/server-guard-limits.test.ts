import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import {
  MAX_IN_FLIGHT_PER_CONNECTION,
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_CREDENTIAL,
  MAX_PENDING_CONNECTIONS,
  RESERVED_OPERATOR_CONNECTIONS,
  PENDING_GRACE_MS,
  CREDENTIAL_TIMEOUT_MS,
} from "./connections.ts";
import { FREE_FAILURES, MAX_DELAY_MS } from "./failed-auth-limiter.ts";
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

type Server = Awaited<ReturnType<typeof startGuarded>>;

const PATH = "/api/terminals/terminal:a/connect";

const openMany = (server: Server, count: number): Promise<readonly Socket[]> =>
  Promise.all(Array.from({ length: count }, () => open(server.to)));

const get = ({ to, host, bearer }: Server) =>
  exchange(to, requestOf("GET /api/terminals", [host, bearer, "Connection: close"]));

/** Waits turn by turn until it is so; a test that waits in vain ends by its own time limit. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

async function upgrade(server: Server, secret: string): Promise<Socket> {
  const socket = await open(server.to);
  const bearer = `Authorization: Bearer ${secret}`;
  socket.write(requestOf(`GET ${PATH}`, [server.host, bearer, ...WEBSOCKET_HEADERS]));
  expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 101 /);
  return socket;
}

test("among 2,000 silent sockets a right client is served, quickly", async () => {
  await using server = await startGuarded();
  const silent = openMany(server, 2000);
  const during: number[] = [];
  for (let count = 0; count < 20; count += 1) during.push((await get(server)).status);
  await silent;
  const times: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    const before = performance.now();
    during.push((await get(server)).status);
    times.push(performance.now() - before);
  }
  expect(new Set(during)).toEqual(new Set([200]));
  expect(times.toSorted((one, other) => one - other)[50]).toBeLessThan(100);
  await until(() => server.guard.counts.strangers <= MAX_PENDING_CONNECTIONS);
});

test("a client that needs a moment to speak is not carried away by those that came after it", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const slow = await open(server.to);
  await openMany(server, MAX_PENDING_CONNECTIONS * 3);
  await until(() => server.guard.counts.strangers === MAX_PENDING_CONNECTIONS * 3 + 1);
  slow.write(requestOf("GET /api/terminals", [server.host, server.bearer]));
  expect(await readHead(slow)).toMatch(/ 200 OK/);
  clock.advance(PENDING_GRACE_MS);
  expect(server.guard.counts).toEqual({ strangers: MAX_PENDING_CONNECTIONS, connections: 1 });
  slow.destroy();
});

test("the oldest silent sockets give way, and every one of them is gone after its time", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const first = await openMany(server, MAX_PENDING_CONNECTIONS);
  await until(() => server.guard.counts.strangers === MAX_PENDING_CONNECTIONS);
  const gone = closeOf(first[0]!);
  const last = await open(server.to);
  await until(() => server.guard.counts.strangers > MAX_PENDING_CONNECTIONS);
  clock.advance(PENDING_GRACE_MS);
  await gone;
  expect(first.filter((socket) => socket.destroyed || socket.readableEnded)).toHaveLength(1);
  const closed = closeOf(last);
  clock.advance(CREDENTIAL_TIMEOUT_MS);
  await closed;
  await until(() => server.guard.counts.strangers === 0);
  expect(clock.timersWaiting).toBe(0);
});

test("a slow sender of headers has no more time than a silent one, a client that was let in has", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const slow = await open(server.to);
  slow.write(`GET / HTTP/1.1\r\n${server.host}\r\nX-Slow: `);
  const right = await upgrade(server, server.tokens.operatorSecret);
  const closed = closeOf(slow);
  slow.resume();
  clock.advance(CREDENTIAL_TIMEOUT_MS);
  await closed;
  expect(server.guard.counts).toEqual({ strangers: 0, connections: 1 });
  expect(right.destroyed).toBe(false);
  right.destroy();
});

test("rotation closes 50 live connections of the old secret; the new one and others' go on", async () => {
  await using server = await startGuarded();
  const { tokens } = server;
  const old = tokens.create({ name: "worker", scope: "agent" }).token;
  const live = await Promise.all(Array.from({ length: 50 }, () => upgrade(server, old)));
  const bystander = await upgrade(server, tokens.operatorSecret);
  const closed = Promise.all(live.map((socket) => closeOf(socket.resume())));
  const { token } = tokens.rotate("worker");
  await closed;
  expect(bystander.destroyed).toBe(false);
  const again = await upgrade(server, token);
  expect(server.guard.counts.connections).toBe(2);
  for (const socket of [again, bystander]) socket.destroy();
});

test("who rotates its own token still reads the answer, and an endless answer is cut off", async () => {
  const clock = new ManualClock();
  const rotated = Promise.withResolvers<string>();
  await using server = await startGuarded({
    clock,
    handleRequest: (request, response) => {
      if (request.url === "/endless") response.write("first");
      else {
        const { token } = server.tokens.rotate("operator");
        rotated.resolve(token);
        response.end(token);
      }
    },
  });
  const endless = await open(server.to);
  endless.write(requestOf("GET /endless", [server.host, server.bearer]));
  expect(await readHead(endless)).toMatch(/ 200 OK/);
  const cut = closeOf(endless);
  const answer = await exchange(server.to, requestOf("GET /rotate", [server.host, server.bearer]));
  expect(answer.body).toContain(await rotated.promise);
  expect(endless.destroyed).toBe(false);
  clock.advance(1000);
  await cut;
  expect(await get(server)).toMatchObject({ status: 401 });
});

test("an expired token's connections are closed", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const expiresAt = new Date(clock.now() + 5000).toISOString();
  const { token } = server.tokens.create({ name: "short", scope: "agent", expiresAt });
  const socket = await upgrade(server, token);
  const closed = closeOf(socket.resume());
  clock.advance(5000);
  await closed;
  await until(() => server.guard.counts.connections === 0);
  expect(server.tokens.verify(token)).toBeUndefined();
});

test("one connection more than the most is told so, and fits when another has gone", async () => {
  await using server = await startGuarded();
  const secret = server.tokens.operatorSecret;
  const sockets: Socket[] = [];
  while (sockets.length < MAX_CONNECTIONS) {
    sockets.push(...(await Promise.all(Array.from({ length: 32 }, () => upgrade(server, secret)))));
  }
  expect(await get(server)).toMatchObject({
    status: 429,
    body: expect.stringContaining("limit_reached"),
  });
  sockets.pop()?.destroy();
  await until(() => server.guard.counts.connections === MAX_CONNECTIONS - 1);
  expect(await get(server)).toMatchObject({ status: 200 });
  for (const socket of sockets) socket.destroy();
  await until(() => server.guard.counts.connections === 0);
});

test("agents cannot keep out an operator, nor one agent another", async () => {
  await using server = await startGuarded();
  const agents = ["a", "b", "c", "d"].map(
    (name) => server.tokens.create({ name, scope: "agent" }).token,
  );
  const sockets: Socket[] = [];
  const statusOf = async (secret: string): Promise<number> => {
    const socket = await open(server.to);
    sockets.push(socket);
    const bearer = `Authorization: Bearer ${secret}`;
    socket.write(requestOf(`GET ${PATH}`, [server.host, bearer, ...WEBSOCKET_HEADERS]));
    return Number((await readHead(socket)).split(" ")[1]);
  };
  const counts: number[] = [];
  for (const agent of agents) {
    let count = 0;
    while ((await statusOf(agent)) === 101) count += 1;
    counts.push(count);
  }
  const most = MAX_CONNECTIONS - RESERVED_OPERATOR_CONNECTIONS;
  const each = MAX_CONNECTIONS_PER_CREDENTIAL;
  expect(counts).toEqual([each, each, each, most - 3 * each]);
  expect(await statusOf(server.tokens.operatorSecret)).toBe(101);
  for (const socket of sockets) socket.destroy();
});

test("what is sent behind a refused request is not even taken apart", async () => {
  const clock = new ManualClock();
  await using server = await startGuarded({ clock });
  const wrong = requestOf("GET /a", [server.host, "Authorization: Bearer wrong"]);
  let count = 0;
  server.server.on("request", () => (count += 1));
  for (let failure = 0; failure < FREE_FAILURES; failure += 1) await exchange(server.to, wrong);
  const answer = exchange(server.to, wrong + requestOf("GET /a", [server.host]).repeat(20_000));
  // An answer that is held back is where requests could pile up.
  await until(() => count > FREE_FAILURES);
  await get(server);
  clock.advance(MAX_DELAY_MS);
  await answer;
  expect(count).toBeLessThan(5000);
});

test("one connection has so many requests answered at a time and no more", async () => {
  let count = 0;
  const left = Promise.withResolvers<void>();
  await using server = await startGuarded({
    handleRequest: async (_, response) => {
      count += 1;
      await left.promise;
      response.end("late");
    },
  });
  const one = requestOf("GET /a", [server.host, server.bearer]);
  const answer = exchange(server.to, one.repeat(10 * MAX_IN_FLIGHT_PER_CONNECTION));
  await until(() => server.records.some(({ outcome }) => outcome === "limit_reached"));
  left.resolve();
  expect((await answer).body).toContain("limit_reached");
  expect(count).toBe(MAX_IN_FLIGHT_PER_CONNECTION);
});

test("R-2: without a credential no more requests are answered at a time either", async () => {
  const left = Promise.withResolvers<void>();
  let count = 0;
  await using server = await startGuarded({
    handleRequest: async (_request, response) => {
      count += 1;
      await left.promise;
      response.end("let in");
    },
  });
  const one = requestOf("GET /healthz", [server.host]);
  const answer = exchange(server.to, one.repeat(10 * MAX_IN_FLIGHT_PER_CONNECTION));
  await until(() => server.records.some(({ outcome }) => outcome === "limit_reached"));
  left.resolve();
  expect((await answer).body).toContain("limit_reached");
  expect(count).toBe(MAX_IN_FLIGHT_PER_CONNECTION);
});
