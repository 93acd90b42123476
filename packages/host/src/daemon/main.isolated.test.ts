import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Config, defaultConfig } from "../config/config.ts";
import { findDirectories } from "../config/directories.ts";
import { findDaemon, readDiscovery } from "./discovery.ts";
import { startDaemon } from "./main.ts";

const makeHome = (): string => mkdtempSync(join(tmpdir(), "nacre-daemon-"));

/** Starts a daemon in this process, on any port and without a word. */
const start = (home: string, settings: Partial<Config> = {}) =>
  startDaemon({
    config: { ...defaultConfig(), port: 0, ...settings },
    directories: findDirectories({ NACRE_HOME: home }, "/nowhere"),
    version: "0.0.0-test",
    log: () => {},
  });

test("a daemon can be started and stopped again and again, and keeps its token", async () => {
  const home = makeHome();
  const tokens = new Set<string>();
  for (let time = 0; time < 2; time++) {
    await using daemon = await start(home);
    tokens.add(new URL(daemon.urlWithToken).hash);
    expect(findDaemon(join(home, "run"))).toMatchObject({
      pid: process.pid,
      endpoints: { socket: daemon.socketPath, http: { url: daemon.url } },
    });
    await Promise.all([daemon.stop(), daemon.stop()]);
    await daemon.stopped;
    expect(readdirSync(join(home, "run"))).toEqual([]);
    await expect(fetch(new URL("/healthz", daemon.url))).rejects.toThrow("fetch failed");
  }
  expect(tokens.size).toBe(1);
});

test("whoever is connected when it stops is not waited for", async () => {
  await using daemon = await start(makeHome());
  const token = new URL(daemon.urlWithToken).hash.slice("#token=".length);
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(new URL("/api/events?channel=*", daemon.url), { headers });
  expect(events.status).toBe(200);
  // Nobody reads this stream to its end: a daemon that waited for that would never stop.
  await daemon.stop();
});

test("programs make files as they would without it", async () => {
  const umask = process.umask();
  {
    await using daemon = await start(makeHome());
    expect(process.umask()).toBe(0o077);
    const token = new URL(daemon.urlWithToken).hash.slice("#token=".length);
    const answer = await fetch(new URL("/api/exec", daemon.url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ command: "/bin/sh", args: ["-c", "umask"] }),
    });
    const expected = umask.toString(8).padStart(4, "0");
    expect(await answer.json()).toMatchObject({ output: { text: `${expected}\r\n` } });
  }
  expect(process.umask()).toBe(umask);
});

test("a new token of the operator is found where the old one was, and only it is good", async () => {
  const home = makeHome();
  await using daemon = await start(home);
  const before = readDiscovery(join(home, "run"))?.token ?? "";
  const rotated = await fetch(new URL("/api/tokens/operator/rotate", daemon.url), {
    method: "POST",
    headers: { authorization: `Bearer ${before}` },
  });
  expect(rotated.status).toBe(200);
  const after = readDiscovery(join(home, "run"))?.token ?? "";
  expect(after).not.toBe(before);
  const statusWith = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(new URL("/api/host", daemon.url), { headers })).status;
  };
  expect([await statusWith(before), await statusWith(after)]).toEqual([401, 200]);
});

describe("a daemon that cannot start leaves nothing behind", () => {
  test("when its port is taken", async () => {
    const home = makeHome();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    await expect(start(home, { port })).rejects.toThrow("another program listens there");
    expect(readdirSync(join(home, "run"))).toEqual([]);
    other.close();
    await using daemon = await start(home, { port });
    expect(daemon.url).toBe(`http://127.0.0.1:${port}/`);
  });

  test("when somebody else listens at its socket, who is left alone", async () => {
    const home = makeHome();
    await (await start(home)).stop();
    const path = join(home, "run/nacre.sock");
    const foreign = createServer().listen(path);
    await once(foreign, "listening");
    const { ino } = statSync(path);
    await expect(start(home)).rejects.toThrow("something else is at the path");
    expect(statSync(path).ino).toBe(ino);
    foreign.close();
    await once(foreign, "close");
    await using daemon = await start(home);
    expect(daemon.socketPath).toBe(path);
  });

  test("when its home is open to others", async () => {
    const home = makeHome();
    chmodSync(home, 0o750);
    await expect(start(home)).rejects.toThrow("mode 0750");
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    ["an address that others can reach", { host: "0.0.0.0" }],
    ["a name that is no address", { host: "example.com" }],
    ["a certificate without its key", { tlsCert: "/etc/hostname" }],
    ["a key that is not there", { tlsCert: "/etc/hostname", tlsKey: "/nowhere" }],
  ])("when it is asked for %s", async (_, settings) => {
    const home = makeHome();
    await expect(start(home, settings)).rejects.toMatchObject({ name: "NacreError" });
    expect(existsSync(join(home, "run"))).toBe(false);
  });

  test("when another serves the same home, whom it names", async () => {
    const home = makeHome();
    await using daemon = await start(home);
    await expect(start(home)).rejects.toMatchObject({
      code: "already_exists",
      message: `a daemon with pid ${process.pid} at ${daemon.url} already serves ${home}`,
    });
    expect((await fetch(new URL("/healthz", daemon.url))).status).toBe(200);
  });
});
