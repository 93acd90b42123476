import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AuthContext } from "./auth-context.ts";
import { describeUnixListener } from "./check-request.ts";
import { SERVER_OPTIONS, ServerGuard } from "./server-guard.ts";
import { createPeerReader, type LocalPeer, makeLocalPeer, type PeerReader } from "./peer.ts";
import { startGuarded } from "./testing/guarded-server.ts";
import { makePrivateDirectory } from "./testing/private-directory.ts";
import { closeOf, exchange, open, requestOf } from "./testing/raw-http.ts";

const OUR_UID = process.getuid?.() ?? -1;

/** A unix socket behind the gate: what begins with `{` is kept as it is, the rest is HTTP. */
async function startLocal(readPeer?: PeerReader) {
  const inner = await startGuarded();
  const directory = makePrivateDirectory();
  const guard = new ServerGuard({
    tokens: inner.tokens,
    tickets: inner.tickets,
    audit: { append: (record) => Promise.resolve(void inner.records.push(record)) },
    readPeer: readPeer ?? createPeerReader(directory.path),
    report: (error) => inner.reports.push(error),
  });
  const lines: { readonly text: string; readonly admission: AuthContext }[] = [];
  const http = createHttpServer(SERVER_OPTIONS);
  guard.guardServer(http, describeUnixListener(), inner.handlers);
  const server = createServer();
  guard.guardLocal(server, (socket, admission) => {
    socket.once("data", (chunk: Buffer) => {
      if (chunk.toString().startsWith("{")) {
        lines.push({ text: chunk.toString(), admission });
        guard.noteConnection(socket, admission, "ipc");
        socket.end("answer");
        return;
      }
      socket.pause();
      socket.unshift(chunk);
      http.emit("connection", socket);
      socket.resume();
    });
  });
  const path = join(directory.path, "nacre.sock");
  server.listen(path);
  await once(server, "listening");
  return {
    inner,
    guard,
    lines,
    to: { path },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      guard[Symbol.dispose]();
      server.close();
      await inner[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

test("our own user is let in as `local`, with its process for the audit", async () => {
  await using local = await startLocal();
  const socket = await open(local.to);
  const closed = closeOf(socket);
  socket.end("{}\n");
  socket.resume();
  await closed;
  expect(local.lines).toMatchObject([
    { admission: { caller: { id: "local", scope: "operator" }, credential: { name: "local" } } },
  ]);
  const peer = local.lines[0]?.admission.peer;
  expect(peer).toMatch(new RegExp(`^uid ${OUR_UID} pid ${process.pid} start \\d+$`));
  expect(local.inner.records[0]).toMatchObject({ action: "connect", via: "ipc", peer });
});

test("HTTP over the same socket needs no token, but the same Host and no Origin", async () => {
  await using local = await startLocal();
  const get = (headers: readonly string[]) =>
    exchange(local.to, requestOf("GET /api/terminals", [...headers, "Connection: close"]));
  expect(await get(["Host: localhost"])).toMatchObject({ status: 200 });
  expect(await get(["Host: evil.example"])).toMatchObject({ status: 421 });
  expect(await get(["Host: localhost", "Origin: http://localhost"])).toMatchObject({ status: 403 });
  expect(local.inner.reached).toMatchObject([
    { admission: { caller: { id: "local" }, source: `uid ${OUR_UID}` } },
  ]);
});

test("a token over the unix socket decides who it is", async () => {
  await using local = await startLocal();
  const { token } = local.inner.tokens.create({ name: "worker", scope: "agent" });
  const get = (secret: string) =>
    exchange(
      local.to,
      requestOf("GET /x", [
        "Host: localhost",
        `Authorization: Bearer ${secret}`,
        "Connection: close",
      ]),
    );
  expect(await get(token)).toMatchObject({ status: 200 });
  expect(await get(`${token}x`)).toMatchObject({ status: 401 });
  expect(local.inner.reached.map(({ admission }) => admission?.caller.id)).toEqual(["worker"]);
});

test.each<[string, LocalPeer | undefined]>([
  ["another user", { uid: OUR_UID + 1, pid: 7 }],
  ["nobody that can be named", undefined],
])("%s is closed before the first byte", async (_, peer) => {
  await using local = await startLocal(() => peer);
  const answer = await exchange(local.to, requestOf("GET /healthz", ["Host: localhost"]));
  expect(answer.head).toBe("");
  expect([local.lines, local.inner.reached]).toEqual([[], []]);
  expect(local.inner.records).toMatchObject([
    { action: "refuse", via: "ipc", outcome: "unauthenticated", facts: { reason: "peer" } },
  ]);
});

test("where no kernel can be asked, only a directory of ours alone is trusted", () => {
  using directory = makePrivateDirectory();
  const nobody = new Socket();
  const ask = (path: string) => createPeerReader(path, "darwin")(nobody);
  expect(ask(directory.path)).toEqual({ uid: OUR_UID });
  chmodSync(directory.path, 0o755);
  expect(ask(directory.path)).toBeUndefined();
  expect(ask(join(directory.path, "missing"))).toBeUndefined();
});

test("whom the kernel does not name is nobody, however private the directory is", () => {
  using directory = makePrivateDirectory();
  expect(createPeerReader(directory.path, "linux")(new Socket())).toBeUndefined();
  expect(makeLocalPeer(0, 0xffff_ffff)).toBeUndefined();
});

test("a user of another container is that user, although its process has no number here", () => {
  expect(makeLocalPeer(0, OUR_UID + 1)).toEqual({ uid: OUR_UID + 1 });
  expect(makeLocalPeer(process.pid, OUR_UID)).toMatchObject({ uid: OUR_UID, pid: process.pid });
});
