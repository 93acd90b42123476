import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { discoverHost } from "./discovery.ts";

let home: string;
let path: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nacre-client-"));
  await mkdir(join(home, "run"), { mode: 0o700 });
  path = join(home, "run/daemon.json");
});
afterEach(() => rm(home, { recursive: true }));

const startTime = Number(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[19]);

const file = {
  schemaVersion: 1,
  pid: process.pid,
  startTime,
  endpoints: { socket: "/run/a.sock", http: { url: "http://127.0.0.1:6227", port: 6227 } },
  token: "nacre_secret",
  news: "of a later version",
};

const write = (content: unknown, mode = 0o600): Promise<void> =>
  writeFile(path, typeof content === "string" ? content : JSON.stringify(content), { mode });

test("a host that runs is found", async () => {
  await write(file);
  expect(await discoverHost({ home })).toEqual({
    socketPath: "/run/a.sock",
    url: "http://127.0.0.1:6227",
    token: "nacre_secret",
    version: "",
  });
  await write({ ...file, version: "1.2.3" });
  expect(await discoverHost({ home })).toMatchObject({ version: "1.2.3" });
});

test("without a file no host runs, and the message says how to start one", async () => {
  await expect(discoverHost({ home })).rejects.toMatchObject({
    code: "unavailable",
    suggestion: expect.stringContaining("nacre serve") as string,
  });
});

test.each([0o640, 0o604, 0o660, 0o644])("a file of mode %o is not trusted", async (mode) => {
  await write(file);
  await chmod(path, mode);
  await expect(discoverHost({ home })).rejects.toMatchObject({ code: "forbidden" });
});

test("a link is not followed", async () => {
  await write(file);
  await rename(path, join(home, "elsewhere.json"));
  await symlink(join(home, "elsewhere.json"), path);
  await expect(discoverHost({ home })).rejects.toMatchObject({ code: "forbidden" });
});

test("what is no such file is refused without repeating it", async () => {
  for (const content of ["{nacre_secret", { ...file, endpoints: {} }, "x".repeat(100_000)]) {
    await write(content);
    const failure = discoverHost({ home });
    await expect(failure).rejects.toMatchObject({ code: "forbidden" });
    await expect(failure).rejects.not.toThrow(/nacre_secret/);
  }
});

test("a process that has ended is no host", async () => {
  const child = spawn("true");
  await once(child, "exit");
  await write({ ...file, pid: child.pid });
  await expect(discoverHost({ home })).rejects.toMatchObject({ code: "unavailable" });
});

test("another process with the same number is no host", async () => {
  await write({ ...file, startTime: startTime - 1 });
  await expect(discoverHost({ home })).rejects.toMatchObject({ code: "unavailable" });
});

test("where a system tells no start times, the number has to do", async () => {
  await write({ ...file, startTime: null });
  expect(await discoverHost({ home })).toMatchObject({ token: "nacre_secret" });
});
