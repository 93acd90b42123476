// Requests with secrets in them that are refused, or that fail.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import { newCanary } from "../support/canary.ts";
import { type DaemonProcess, runCli } from "../support/daemon-process.ts";
import { LineClient } from "../support/line-client.ts";
import type { Secrets } from "./secret-places.ts";

/** As long as a right one. */
const wrongToken = (): string => `nacre_${newCanary()}${newCanary().slice(0, 19)}`;

/** A request and the status that it must be answered with. */
type Wrong = readonly [status: number, path: string, init?: RequestInit];

/** Makes requests that are refused; whatever secret is in them is remembered. */
export async function beRefused(daemon: DaemonProcess, secrets: Secrets): Promise<void> {
  const wrong = (name: string): string => secrets.add(`a wrong token in ${name}`, wrongToken());
  const secret = (name: string): string => secrets.add(`a secret in ${name}`, newCanary());
  const right = { authorization: `Bearer ${daemon.token}` };
  const post = (body: string): RequestInit => ({
    method: "POST",
    headers: { ...right, "content-type": "application/json" },
    body,
  });
  const requests: readonly Wrong[] = [
    [401, "/api/terminals", { headers: { authorization: `Bearer ${wrong("the header")}` } }],
    [401, "/api/terminals", { headers: { authorization: `Basic ${wrong("another header")}` } }],
    [401, `/api/terminals?token=${wrong("the query")}`, { headers: right }],
    [401, `/api/terminals?token=${daemon.token}`],
    [400, `/api/terminals?password=${secret("the query")}`, { headers: right }],
    [403, "/api/host", { headers: { ...right, origin: `http://${secret("the origin")}.test` } }],
    [400, "/api/terminals", post(`{"command":"${secret("a broken body")}`)],
    [400, "/api/terminals", post(JSON.stringify({ command: 1, env: { A: secret("a body") } }))],
    [
      400,
      "/api/tokens",
      post(JSON.stringify({ name: secret("a name").repeat(9), scope: "agent" })),
    ],
    [401, "/api/terminal/auth", post(JSON.stringify({ password: secret("a login") }))],
    [
      401,
      "/api/terminal/sessions",
      { headers: { ...right, "x-terminal-token": secret("a session") } },
    ],
    [
      404,
      "/api/terminals/terminal:nobody/input",
      post(JSON.stringify({ data: secret("typing to nobody") })),
    ],
  ];
  for (const [status, path, init] of requests) {
    const response = await fetch(daemon.url + path, init);
    assert.equal(response.status, status, `${path}: ${await response.text()}`);
  }
  await failToUpgrade(daemon, `/api/terminals/x/connect?ticket=${secret("a wrong ticket")}`, []);
  await failToUpgrade(daemon, "/ahp", [`nacre.bearer.${wrong("a protocol")}`]);
  await failToUpgrade(daemon, `/?tkn=${wrong("the address of a socket")}`, []);
  using lines = new LineClient(daemon.socketPath);
  lines.send(`{"type":"request","id":"1","method":"${secret("a broken line")}`);
  await lines.until(({ ok }) => ok === false);
  await lines.ask("entity.command", { entity: secret("an unknown entity"), method: "create" });
  const cli = await runCli(["status", "--token", wrong("an argument")], { home: daemon.home });
  assert.notEqual(cli.code, 0);
}

function failToUpgrade(
  { port }: DaemonProcess,
  path: string,
  protocols: readonly string[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols]);
    socket.on("open", () => reject(new Error(`${path} was let in`)));
    socket.on("error", () => resolve());
  });
}

/** Makes the daemon fail in a way that nobody foresaw: it may not open one more file. */
export async function failWithin(daemon: DaemonProcess): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // The connection has to be there already.
  assert.equal(await statusOf(daemon, agent, ["GET", "/api/host"]), 200);
  const before = limitFiles(daemon.pid, 1);
  for (const asked of FAILING) assert.equal(await statusOf(daemon, agent, asked), 500, asked[1]);
  limitFiles(daemon.pid, before);
  agent.destroy();
  assert.match(daemon.said.error, /"level":"error"/, "failures are not in the log");
}

type Asked = readonly [method: string, path: string, body?: string];

/** Each of these writes a file. */
const FAILING: readonly Asked[] = [
  ["POST", "/api/tokens", '{"name":"late","scope":"agent"}'],
  ["POST", "/api/tokens/agent/rotate", "{}"],
];

/** Sets how many files a process may have open, and gives how many it could before. */
function limitFiles(pid: number, count: number): number {
  const now = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1];
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${count}:`]);
  return Number(now);
}

function statusOf({ port, token }: DaemonProcess, agent: Agent, asked: Asked): Promise<number> {
  const [method, path, body] = asked;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, path, method, headers, agent };
    const sent = request(to, (response) => {
      response.on("error", reject).on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sent.on("error", reject).end(body);
  });
}
