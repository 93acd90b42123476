import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type QuickCall, quickCaller } from "./quick-caller.ts";

/** A server on a unix socket of its own, and who asks it. */
async function asking(server: Server): Promise<{ readonly call: QuickCall } & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), "nacre-quick-"));
  const socketPath = join(directory, "a.sock");
  server.listen(socketPath);
  await once(server, "listening");
  return {
    call: quickCaller({ socketPath, clientLabel: "test" }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
      rmSync(directory, { recursive: true });
    },
  };
}

const http = (listener: RequestListener) => asking(createHttpServer(listener));

/** A server that answers every connection with the same bytes. */
const saying = (...pieces: readonly string[]) =>
  asking(
    createServer((socket: Socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      });
    }),
  );

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    // In pieces, so that its length is not told.
    response.write(JSON.stringify(body).slice(0, 5));
    response.end(JSON.stringify(body).slice(5));
  };

test("an operation goes to its route with what it takes, and its answer comes back", async () => {
  const seen: unknown[] = [];
  await using host = await http((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { method, url, headers } = request;
      seen.push([method, url, headers["nacre-client-id"], body]);
      response.end(JSON.stringify({ text: "日本 🐚" }));
    })();
  });
  const id = "terminal:a1" as never;
  expect(await host.call("readScreen", { id, format: "ansi" })).toEqual({ text: "日本 🐚" });
  await host.call("pasteText", { id, text: "ü\r\n\r\nx" });
  expect(seen).toEqual([
    ["GET", "/api/terminals/terminal:a1/screen?format=ansi", "test", ""],
    ["POST", "/api/terminals/terminal:a1/paste", "test", String.raw`{"text":"ü\r\n\r\nx"}`],
  ]);
});

test("a failure is told as the host told it", async () => {
  const error = { code: "terminal_not_found", message: "no", field: "id", suggestion: "look" };
  await using host = await http(json({ error }, 404));
  await expect(host.call("readHost", {})).rejects.toMatchObject(error);
  await using newer = await http(json({ error: { code: "news", message: "?" } }, 500));
  await expect(newer.call("readHost", {})).rejects.toMatchObject({ code: "unexpected_answer" });
});

test("a large answer without a length comes whole", async () => {
  const text = "x".repeat(3_000_000);
  await using host = await http(json({ text }));
  expect(await host.call("readHost", {})).toEqual({ text });
});

test.each([
  ["nothing", [], "unavailable"],
  ["nonsense", ["220 smtp ready\r\n\r\n"], "unavailable"],
  ["half a head", ["HTTP/1.1 200 OK\r\ncontent-le"], "unavailable"],
  ["less than it said", ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"], "unavailable"],
  ["half an object", ['HTTP/1.1 200 OK\r\n\r\n{"a":'], "unexpected_answer"],
])("a server that says %s is a failure", async (_, pieces, code) => {
  await using host = await saying(...pieces);
  await expect(host.call("readHost", {})).rejects.toMatchObject({ code });
});

test("where nobody listens, the host is unavailable", async () => {
  const call = quickCaller({ socketPath: join(tmpdir(), "nacre-nobody.sock") });
  await expect(call("readHost", {})).rejects.toMatchObject({ code: "unavailable" });
});

test("who gives up waits no longer", async () => {
  const leaving = new AbortController();
  await using host = await asking(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => leaving.abort());
    }),
  );
  const { signal } = leaving;
  await expect(host.call("readHost", {}, { signal })).rejects.toThrow("aborted");
});
