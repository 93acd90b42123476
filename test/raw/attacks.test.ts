import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Terminal } from "@nacre/host";
import {
  readHead,
  requestOf,
  WEBSOCKET_HEADERS,
} from "../../packages/host/src/auth/testing/raw-http.ts";
import { closeCodeIn, frameOf, OPCODES } from "../support/websocket-frames.ts";
import { type Client, connectPath, openServer, type TestServer } from "./raw-server.ts";

let server: TestServer;
let terminal: Terminal;
let other: Client;

beforeAll(async () => {
  server = await openServer();
  terminal = await server.create("cat");
  other = await server.connect(connectPath(terminal.id, "?cursor=-1")).untilOpen();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Opens a WebSocket by hand; gives the socket that speaks frames. */
async function upgrade(path: string): Promise<Socket> {
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  const bearer = `Authorization: Bearer ${server.tokens.operator}`;
  const headers = [`Host: 127.0.0.1:${server.port}`, ...WEBSOCKET_HEADERS, bearer];
  socket.write(requestOf(`GET ${path}`, headers));
  expect(await readHead(socket)).toContain("101 Switching Protocols");
  return socket;
}

/** Sends bytes and resolves with all that came once the other side closed, and the code of its close frame. */
async function attack(path: string, bytes: Iterable<Uint8Array>): Promise<number | undefined> {
  const socket = await upgrade(path);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(socket, "close");
  for (const part of bytes) {
    if (socket.destroyed) break;
    if (!socket.write(part)) await Promise.race([once(socket, "drain"), ended]);
  }
  await ended;
  return closeCodeIn(Buffer.concat(chunks));
}

function* fragments(count: number): Generator<Buffer> {
  yield frameOf(OPCODES.binary, Buffer.from("x"), { fin: false });
  const many = Buffer.concat(
    Array.from({ length: 1000 }, () => frameOf(0, Buffer.from("x"), { fin: false })),
  );
  for (let sent = 0; sent < count; sent += 1000) yield many;
}

const ATTACKS: readonly (readonly [string, number, () => Iterable<Uint8Array>])[] = [
  ["a hundred thousand fragments", 1008, () => fragments(100_000)],
  [
    "empty fragments without end",
    1008,
    () =>
      Array.from({ length: 5000 }, () => frameOf(0, Buffer.alloc(0), { fin: false })).toSpliced(
        0,
        0,
        frameOf(OPCODES.binary, Buffer.alloc(0), { fin: false }),
      ),
  ],
  [
    "a gigabyte by its own words",
    1009,
    () => [frameOf(OPCODES.binary, Buffer.alloc(16), { declared: 2 ** 30 })],
  ],
  [
    "more than can be counted",
    1009,
    () => [frameOf(OPCODES.binary, Buffer.alloc(16), { declared: 2 ** 52 })],
  ],
  ["reserved bits", 1002, () => [frameOf(OPCODES.binary, Buffer.from("x"), { reserved: 4 })]],
  [
    "what says it is compressed",
    1002,
    () => [frameOf(OPCODES.text, Buffer.from("x"), { reserved: 4 })],
  ],
  ["an unknown kind of frame", 1002, () => [frameOf(3, Buffer.from("x"))]],
  [
    "a frame without a mask",
    1002,
    () => [frameOf(OPCODES.binary, Buffer.from("x"), { isMasked: false })],
  ],
  ["a part of nothing", 1002, () => [frameOf(0, Buffer.from("x"))]],
  ["a ping in parts", 1002, () => [frameOf(OPCODES.ping, Buffer.from("x"), { fin: false })]],
  ["a ping that is too long", 1002, () => [frameOf(OPCODES.ping, Buffer.alloc(126))]],
  ["text that is none", 1007, () => [frameOf(OPCODES.text, Buffer.from([0xc3, 0x28]))]],
  [
    "a reason to close that is no text",
    1007,
    () => [frameOf(OPCODES.close, Buffer.from([0x03, 0xe8, 0xff]))],
  ],
  ["half a code to close", 1002, () => [frameOf(OPCODES.close, Buffer.from([3]))]],
  [
    "a code to close that nobody may send",
    1002,
    () => [frameOf(OPCODES.close, Buffer.from([0x03, 0xed]))],
  ],
  [
    "a flood of pings",
    1008,
    () => Array.from({ length: 10_000 }, () => frameOf(OPCODES.ping, Buffer.from("p"))),
  ],
];

describe.each([
  ["a terminal", () => connectPath(terminal.id)],
  ["a session", () => `/api/terminal/ws?sessionId=${terminal.id}`],
  ["several sessions", () => "/api/terminal/ws"],
])("the socket of %s", (_whose, path) => {
  test.each(ATTACKS)("is closed for %s, and nobody else notices", async (_what, code, bytes) => {
    expect(await attack(path(), bytes())).toBe(code);
    const seen = other.bytes.byteLength;
    other.socket.send(Buffer.from("still here\r"));
    await other.until(() => other.text.slice(seen).includes("still here\r\nstill here"));
    expect(server.problems).toEqual([]);
  });
});

test("what attackers sent holds no memory afterwards", async () => {
  const before = process.memoryUsage().rss;
  await Promise.all([1, 2, 3].map(() => attack(connectPath(terminal.id), fragments(100_000))));
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
  await expect.poll(() => server.upgrades.state.sockets).toBe(1);
});
