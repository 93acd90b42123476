import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect, test } from "vitest";
import { connectProven, PROOF_PATH, ProvenAgent } from "./connect-local.ts";
import { socketFetch } from "./socket-fetch.ts";

const TOKEN = "nacre_0123456789012345678901234567890123456789012";
const RUNS = 25;

/** A server on a port of its own, or on that of another that ended, that keeps every byte it got. */
async function listening(server: Server, at = "http://127.0.0.1:0"): Promise<Listening> {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => received.push(chunk));
  });
  server.listen(Number(new URL(at).port), "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    text: () => Buffer.concat(received).toString("latin1"),
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface Listening extends Disposable {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
  /** Everything that came. */
  text(): string;
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/** Answers as a host does that knows a token; everything else is `{}`. */
const hostKnowing =
  (token: string, asked?: string): RequestListener =>
  (request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      response.setHeader("content-type", "application/json");
      if (request.url !== PROOF_PATH) return response.end(JSON.stringify({ url: request.url }));
      const { nonce } = JSON.parse(body) as { readonly nonce: string };
      const proof = createHmac("sha256", sha256(token))
        .update(`${asked ?? request.headers.host ?? ""}\n${nonce}`)
        .digest("hex");
      return response.end(JSON.stringify({ proof }));
    })();
  };

/** What else may listen on the port of a host that is gone. */
const FAKES: readonly [string, () => Server][] = [
  ["says nothing and closes", () => createServer((socket) => void socket.end())],
  [
    "talks nonsense",
    () => createServer((socket) => void socket.end("220 smtp.example ready\r\n".repeat(1000))),
  ],
  [
    "passes the question on to the right host",
    () => createHttpServer(hostKnowing(TOKEN, "127.0.0.1:1")),
  ],
  ["knows another token", () => createHttpServer(hostKnowing("nacre_another"))],
  [
    "says yes to everything",
    () => createHttpServer((_, response) => void response.end('{"ok":true,"proof":true}')),
  ],
  [
    "repeats what it is told",
    () =>
      createHttpServer((request, response) => {
        response.setHeader("content-type", "application/json");
        request.pipe(response);
      }),
  ],
  [
    "never stops",
    () =>
      createHttpServer((_, response) => {
        response.write(`{"proof":"${"0".repeat(65_536)}`);
      }),
  ],
  [
    "sends elsewhere",
    () =>
      createHttpServer((_, response) => {
        response.writeHead(307, { location: "/elsewhere" }).end();
      }),
  ],
];

test.each(FAKES)("a server that %s gets no byte of the token", async (_, make) => {
  using server = await listening(make());
  for (let run = 0; run < RUNS; run++) {
    using client = connectProven({ url: server.url, token: TOKEN });
    await expect(client.readHost({})).rejects.toMatchObject({ code: "forbidden" });
  }
  const text = server.text();
  expect(text).not.toMatch(/authorization/i);
  // Not even a part of it, or its hash, which is the key of the proof.
  for (const secret of [TOKEN, sha256(TOKEN).toString("hex"), sha256(TOKEN).toString("base64")]) {
    for (let at = 0; at + 12 <= secret.length; at++) {
      expect(text.includes(secret.slice(at, at + 12))).toBe(false);
    }
  }
});

test("a server that takes the port of a host that ended gets no byte of the token", async () => {
  const host = await listening(createHttpServer(hostKnowing(TOKEN)));
  const agent = new ProvenAgent({ url: host.url, token: TOKEN });
  const fetch = socketFetch(agent);
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await fetch(`${host.url}/a`, { headers })).status).toBe(200);
  expect(host.text()).toContain(TOKEN);
  host[Symbol.dispose]();
  using fake = await listening(createHttpServer(hostKnowing("nacre_another")), host.url);
  await expect(fetch(`${fake.url}/b`, { headers })).rejects.toMatchObject({ code: "forbidden" });
  expect(fake.text()).toContain(PROOF_PATH);
  expect(fake.text()).not.toContain(TOKEN);
  agent.destroy();
});

test("a server that does not answer is given up after a while", async () => {
  using server = await listening(createServer());
  const agent = new ProvenAgent({ url: server.url, token: TOKEN, maxProofMs: 20 });
  await expect(agent.check()).rejects.toMatchObject({ code: "forbidden" });
  expect(server.text()).not.toContain(TOKEN);
});

test("where nobody listens, the host is unavailable", async () => {
  const server = await listening(createServer());
  const { url } = server;
  server[Symbol.dispose]();
  using client = connectProven({ url, token: TOKEN });
  await expect(client.readHost({})).rejects.toMatchObject({ code: "unavailable" });
});

test("each connection is proven once, and then carries requests", async () => {
  const asked: string[] = [];
  const answer = hostKnowing(TOKEN);
  const http = createHttpServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  using server = await listening(http);
  const agent = new ProvenAgent({ url: server.url, token: TOKEN });
  const fetch = socketFetch(agent);
  for (const path of ["/a", "/b", "/c"]) {
    const response = await fetch(server.url + path, { method: "POST", body: "{}" });
    expect(await response.json()).toEqual({ url: path });
  }
  expect(asked).toEqual([PROOF_PATH, "/a", "/b", "/c"]);
  // A connection that the host has closed is not used again, whether or not that was noticed already.
  for (const socket of server.sockets) socket.destroy();
  expect(await (await fetch(`${server.url}/d`, {})).json()).toEqual({ url: "/d" });
  expect(asked.slice(4)).toEqual([PROOF_PATH, "/d"]);
  agent.destroy();
});
