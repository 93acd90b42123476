import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AuthContext } from "../auth/auth-context.ts";
import { UNIX_SOCKET_IDENTITY } from "../auth/authenticator.ts";
import { unixSocketMux } from "./unix-socket-mux.ts";

const ADMISSION: AuthContext = { ...UNIX_SOCKET_IDENTITY, peer: "test", source: "test" };

const sendBack =
  (name: string) =>
  (socket: Socket): void => {
    text(socket).then(
      (said) => socket.end(`${name} ${said}`),
      () => socket.destroy(),
    );
  };

let path: string;
let stack: DisposableStack;

/** All languages behind one path: HTTP says what it got, and lines are read to their end and sent back. */
beforeEach(async () => {
  stack = new DisposableStack();
  path = join(mkdtempSync(join(tmpdir(), "nacre-front-")), "s");
  const http = createHttpServer((incoming, response) => {
    text(incoming).then(
      (body) => response.end(`${incoming.method} ${incoming.url} ${body.length}`),
      () => response.destroy(),
    );
  });
  const handle = unixSocketMux({
    http,
    firstBytesMs: 100,
    serveJsonRpc: sendBack("json-rpc"),
    serveLines: sendBack("lines"),
  });
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    handle(socket, ADMISSION);
  });
  const sockets: Socket[] = [];
  stack.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(path);
  await once(server, "listening");
});

afterEach(() => stack.dispose());

function ask(how: { method: string; url: string; body?: string }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request({ socketPath: path, method: how.method, path: how.url }, (response) => {
    text(response).then(resolve, reject);
  });
  sent.on("error", reject);
  sent.end(how.body);
  return promise;
}

test("what begins with a brace is lines, from its first byte on", async () => {
  const socket = connect({ path, allowHalfOpen: true });
  socket.end('{"type":"request"}\n');
  expect(await text(socket)).toBe('lines {"type":"request"}\n');
});

test("lines that say so are JSON-RPC, however they are cut", async () => {
  const said = '{"id":1,"jsonrpc":"2.0"}\n';
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(said);
  expect(await text(socket)).toBe(`json-rpc ${said}`);
  const slow = connect({ path, allowHalfOpen: true });
  for (const character of said) {
    slow.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  slow.end();
  expect(await text(slow)).toBe(`json-rpc ${said}`);
  const later = connect({ path, allowHalfOpen: true });
  later.end(`{"type":"request"}\n${said}`);
  expect(await text(later)).toBe(`lines {"type":"request"}\n${said}`);
});

test("a long line that does not say what it is is lines", async () => {
  const said = `{"type":"${"x".repeat(5000)}`;
  const socket = connect({ path, allowHalfOpen: true });
  socket.write(said);
  socket.end(`"}\n`);
  expect(await text(socket)).toBe(`lines ${said}"}\n`);
});

test("anything else is HTTP, also a second request on the same connection and a long body", async () => {
  expect(await ask({ method: "GET", url: "/healthz" })).toBe("GET /healthz 0");
  const body = "x".repeat(3_000_000);
  expect(await ask({ method: "POST", url: "/a", body })).toBe("POST /a 3000000");
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(
    "GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  );
  const answers = await text(socket);
  expect(answers).toContain("GET /1 0");
  expect(answers).toContain("GET /2 0");
});

test("bytes that come one by one are not lost", async () => {
  const socket = connect({ path, allowHalfOpen: true });
  socket.setNoDelay(true);
  for (const character of "GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") {
    socket.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await text(socket)).toContain("GET /slow 0");
});

test("who says nothing is closed in time, and who leaves at once too", async () => {
  const silent = connect(path);
  await once(silent, "close");
  const gone = connect({ path, allowHalfOpen: true });
  gone.end();
  gone.resume();
  await once(gone, "close");
  expect(await ask({ method: "GET", url: "/still-there" })).toBe("GET /still-there 0");
});
