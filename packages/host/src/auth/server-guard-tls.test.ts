import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { requireProgram } from "../testing/require-program.ts";
import { describeTcpListener } from "./check-request.ts";
import { SERVER_OPTIONS, ServerGuard } from "./server-guard.ts";
import { startGuarded } from "./testing/guarded-server.ts";
import { readHead, requestOf, WEBSOCKET_HEADERS } from "./testing/raw-http.ts";

const OPENSSL = "openssl";

test("over TLS the gate is the same, and a lost credential closes the connection below", async (context) => {
  requireProgram(context, OPENSSL);
  await using inner = await startGuarded();
  const [key, cert] = [join(inner.directory, "key.pem"), join(inner.directory, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const files = ["-nodes", "-keyout", key, "-out", cert, "-days", "1", "-subj", "/CN=localhost"];
  execFileSync(OPENSSL, [...request, ...files], { stdio: "ignore" });
  const server = createServer({
    ...SERVER_OPTIONS,
    key: readFileSync(key),
    cert: readFileSync(cert),
  });
  using guard = new ServerGuard({
    tokens: inner.tokens,
    tickets: inner.tickets,
    audit: { append: () => Promise.resolve() },
    readPeer: () => undefined,
    report: (error) => inner.reports.push(error),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  guard.guardServer(server, describeTcpListener({ port, isSecure: true }), inner.handlers);

  const { token } = inner.tokens.create({ name: "worker", scope: "agent" });
  const authorization = `Bearer ${token}`;
  const ask = async (headers: Record<string, string>): Promise<number | undefined> => {
    const to = { port, host: "127.0.0.1", path: "/api/terminals", rejectUnauthorized: false };
    const sent = get({ ...to, agent: false, headers });
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };
  expect(await ask({ authorization })).toBe(200);
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization, origin: `http://127.0.0.1:${port}` })).toBe(403);
  expect(await ask({ authorization, origin: `https://127.0.0.1:${port}` })).toBe(200);
  expect(inner.reached[0]?.admission?.peer).toMatch(/^127\.0\.0\.1:\d+$/);

  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const headers = [`Host: 127.0.0.1:${port}`, `Authorization: ${authorization}`];
  socket.write(requestOf("GET /ahp", [...headers, ...WEBSOCKET_HEADERS]));
  expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 101 /);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume().on("error", () => undefined);
  inner.tokens.revoke("worker");
  await closed;
  const silent = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(silent, "secureConnect");
  expect(guard.counts).toEqual({ strangers: 1, connections: 0 });
  silent.destroy();
  server.close();
});
