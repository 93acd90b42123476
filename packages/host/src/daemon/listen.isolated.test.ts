import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { listenOnAddress, listenOnSocket } from "./listen.ts";

const servers: Server[] = [];
let path: string;

const makeServer = (): Server => {
  const server = createServer();
  servers.push(server);
  return server;
};

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "nacre-listen-")), "nacre.sock");
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("the unix socket", () => {
  test("is the owner's alone, and the mask of the process stays", async () => {
    const umask = process.umask(0o022);
    try {
      await listenOnSocket(makeServer(), path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(process.umask()).toBe(0o022);
    } finally {
      process.umask(umask);
    }
  });

  test("that a killed daemon left is replaced", async () => {
    const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
    const dead = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(dead.stdout, "data");
    await expect(listenOnSocket(makeServer(), path)).rejects.toThrow("something else is at");
    dead.kill("SIGKILL");
    await once(dead, "exit");
    expect(existsSync(path)).toBe(true);
    await listenOnSocket(makeServer(), path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("of somebody who listens is left alone, and still answers", async () => {
    const foreign = makeServer();
    foreign.listen(path);
    await once(foreign, "listening");
    const { ino } = statSync(path);
    await expect(listenOnSocket(makeServer(), path)).rejects.toThrow("something else is at");
    expect(statSync(path).ino).toBe(ino);
  });

  test.each([
    ["a file", () => writeFileSync(path, "precious")],
    ["a link", () => symlinkSync("/nowhere", path)],
  ])("is not put in the place of %s", async (_, plant) => {
    plant();
    await expect(listenOnSocket(makeServer(), path)).rejects.toThrow("something else is at");
  });

  test("with a path longer than sun_path is refused by name", async () => {
    const long = `/tmp/${"x".repeat(103)}`;
    await expect(listenOnSocket(makeServer(), long)).rejects.toThrow("has 108 bytes, at most 107");
  });
});

/** A user of the machine who tries to connect without pause, from before the socket is there until killed, and says each outcome once. */
const PROBER = `const { connect } = require("net");
  const seen = new Set();
  const note = (outcome) => { if (!seen.has(outcome)) console.log(outcome); seen.add(outcome); };
  const probe = (path) => {
    const socket = connect(path);
    socket.on("connect", () => { note("connected"); socket.destroy(); });
    socket.on("error", (error) => note(error.code));
    socket.on("close", () => probe(path));
  };
  probe(process.argv[1]);`;

test.runIf(process.getuid?.() === 0)(
  "no other user can connect at any instant of 300 restarts, in a directory open to all",
  async () => {
    chmodSync(dirname(path), 0o755);
    const prober = spawn(process.execPath, ["-e", PROBER, path], {
      uid: 65_534,
      gid: 65_534,
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void prober.kill("SIGKILL"));
    const outcomes = createInterface(prober.stdout)[Symbol.asyncIterator]();
    expect(await outcomes.next()).toMatchObject({ value: "ENOENT" });
    const umask = process.umask(0o000);
    onTestFinished(() => void process.umask(umask));
    for (let restart = 0; restart < 300; restart++) {
      const server = createServer();
      await listenOnSocket(server, path);
      server.close();
      await once(server, "close");
    }
    // The last one stays until the other user has met it: a busy machine may have let none of the others be met.
    await listenOnSocket(makeServer(), path);
    expect(await outcomes.next()).toMatchObject({ value: "EACCES" });
    prober.kill("SIGKILL");
    expect(await outcomes.next()).toMatchObject({ done: true });
  },
);

describe("an address", () => {
  test("with port 0 gets a port that is free", async () => {
    expect(await listenOnAddress(makeServer(), "127.0.0.1", 0)).toBeGreaterThan(0);
  });

  test("that is taken is refused with what to do", async () => {
    const port = await listenOnAddress(makeServer(), "127.0.0.1", 0);
    await expect(listenOnAddress(makeServer(), "127.0.0.1", port)).rejects.toMatchObject({
      code: "unavailable",
      message: `cannot listen on 127.0.0.1:${port}: another program listens there`,
      suggestion: "Choose another with --port; 0 takes any.",
    });
  });
});
