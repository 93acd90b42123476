import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeHome, nacre, ServeProcess } from "./testing/nacre-process.ts";

const URL_LINE = /^http:\/\/127\.0\.0\.1:\d+\/#token=nacre_[A-Za-z0-9_-]{43}$/;

const home = makeHome();
const socketPath = join(home, "run/nacre.sock");
const env = { TERMINAL_PASSWORD: "hunter2-canary", NACRE_TERMINAL_ID: "terminal:outer" };
let daemon: ServeProcess;

beforeAll(async () => {
  daemon = await ServeProcess.start({ home, env });
});
afterAll(() => daemon[Symbol.asyncDispose]());

test("the first line is the address with the token, and the daemon answers there", async () => {
  expect(daemon.firstLine).toMatch(URL_LINE);
  expect(await daemon.ask("GET", "/api/host")).toMatchObject({ pid: daemon.pid });
});

test("the daemon is found by its home", () => {
  const { status, stdout } = nacre(["status", "--json"], { home });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    command: "status",
    result: {
      state: "ready",
      pid: daemon.pid,
      keeperPid: expect.any(Number) as number,
      url: daemon.firstLine,
      socket: socketPath,
      home,
    },
  });
});

test("nothing that it made can be read by others", () => {
  for (const path of ["run/daemon.json", "run/nacre.sock", "token", "tokens.json", "daemon.log"]) {
    expect(statSync(join(home, path)).mode & 0o177).toBe(0);
  }
  const files = execFileSync("find", [home, "-perm", "/077"]).toString();
  expect(files).toBe("");
});

test("it listens on loopback only", () => {
  const port = Number(daemon.url.port).toString(16).toUpperCase().padStart(4, "0");
  const LISTENING = "0A";
  const listeners = ["tcp", "tcp6"]
    .flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING && fields[1]?.endsWith(`:${port}`))
    .map((fields) => fields[1]);
  expect(listeners).toEqual([`0100007F:${port}`]);
});

test("its token is in no arguments, in no environment and in no log", async () => {
  const input = { command: process.execPath, args: ["-p", "JSON.stringify(process.env)"] };
  const result = JSON.stringify(await daemon.ask("POST", "/api/exec", input));
  expect(result).toContain("xterm-256color");
  const places = [
    result,
    execFileSync("sh", ["-c", "cat /proc/[0-9]*/cmdline 2>/dev/null || true"]).toString("latin1"),
    readFileSync(`/proc/${daemon.pid}/environ`, "latin1"),
    daemon.errors,
    readFileSync(join(home, "daemon.log"), "utf8"),
  ];
  expect(places.filter((text) => text.includes(daemon.token))).toEqual([]);
  expect(result + daemon.errors).not.toMatch(/hunter2-canary|terminal:outer/);
});

test("its socket answers lines of JSON beside HTTP", async () => {
  const socket = connect(socketPath);
  socket.setEncoding("utf8").write('{"type":"request","id":1,"method":"system.status"}\n');
  const [line] = (await once(socket, "data")) as [string];
  socket.destroy();
  expect(JSON.parse(line)).toMatchObject({ id: 1, ok: true, result: { pid: daemon.pid } });
});

test("a second one for the same home is refused, and told who is there", () => {
  const { status, stdout, stderr } = nacre(["serve", "--port", "0"], { home });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toContain(`pid ${daemon.pid} at ${daemon.url.origin}/`);
  expect(stderr).not.toContain(daemon.token);
});

test("one that was killed is replaced, with the same token", async () => {
  const killed = daemon;
  expect(await killed.end("SIGKILL")).toBe("SIGKILL");
  expect([existsSync(join(home, "run/daemon.json")), existsSync(socketPath)]).toEqual([true, true]);
  expect(nacre(["status"], { home }).status).toBe(7);
  daemon = await ServeProcess.start({ home });
  expect(daemon.token).toBe(killed.token);
  expect(await daemon.ask("GET", "/api/host")).toMatchObject({ pid: daemon.pid });
});

test("`nacre stop` ends it, and nothing is left that says it runs", () => {
  const { status, stdout } = nacre(["stop"], { home });
  expect(status).toBe(0);
  expect(stdout).toBe(`The daemon with pid ${daemon.pid} has ended.\n`);
  expect([existsSync(join(home, "run/daemon.json")), existsSync(socketPath)]).toEqual([
    false,
    false,
  ]);
  expect(nacre(["stop"], { home }).status).toBe(7);
});
