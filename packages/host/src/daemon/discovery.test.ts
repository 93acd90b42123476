import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  type DiscoveryFacts,
  findDaemon,
  isStillRunning,
  PublishedDiscovery,
  readDiscovery,
} from "./discovery.ts";

const FACTS: DiscoveryFacts = {
  version: "0.1.0",
  protocolVersions: ["1"],
  home: "/home/ada/.local/state/nacre",
  endpoints: {
    socket: "/run/user/7/nacre/nacre.sock",
    http: { url: "http://127.0.0.1:6227/", host: "127.0.0.1", port: 6227 },
  },
  token: "nacre_secret",
};

let run: string;
let path: string;

beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), "nacre-run-"));
  path = join(run, "daemon.json");
});

test("a daemon is found while it runs, by a file that only its owner can read", () => {
  const published = new PublishedDiscovery(run, FACTS);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(findDaemon(run)).toEqual(published.current);
  expect(published.current).toMatchObject({ ...FACTS, pid: process.pid });
  expect(readdirSync(run)).toEqual(["daemon.json"]);
  published[Symbol.dispose]();
  expect(readdirSync(run)).toEqual([]);
  expect(findDaemon(run)).toBeUndefined();
});

test("a new token replaces the old one in the file", () => {
  using published = new PublishedDiscovery(run, FACTS);
  published.changeToken("nacre_other");
  expect(findDaemon(run)).toEqual({ ...published.current, token: "nacre_other" });
});

test("what another daemon published since is left alone", () => {
  const dead = new PublishedDiscovery(run, FACTS);
  using alive = new PublishedDiscovery(run, FACTS);
  dead[Symbol.dispose]();
  expect(findDaemon(run)).toEqual(alive.current);
});

test("a process that ended is not found, nor is another that has its number", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  using published = new PublishedDiscovery(run, FACTS);
  const { startTime } = published.current;
  expect(isStillRunning({ pid: process.pid, startTime })).toBe(true);
  expect(isStillRunning({ pid: process.pid, startTime: (startTime ?? 0) - 1 })).toBe(false);
  expect(isStillRunning({ pid, startTime: null })).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isStillRunning({ pid, startTime: null })).toBe(false);
  expect(isStillRunning({ pid, startTime })).toBe(false);
});

const PLANTS: readonly [string, (target: string) => void][] = [
  ["a symbolic link", (target) => symlinkSync(target, path)],
  ["a hard link", (target) => linkSync(target, path)],
  ["a directory", () => mkdirSync(path)],
  [
    "a file that others may read",
    (target) => {
      writeFileSync(path, readFileSync(target), { mode: 0o600 });
      chmodSync(path, 0o644);
    },
  ],
];

test.each(PLANTS)("%s is neither read nor written", (_, plant) => {
  const elsewhere = mkdtempSync(join(tmpdir(), "nacre-elsewhere-"));
  using published = new PublishedDiscovery(elsewhere, FACTS);
  const target = join(elsewhere, "daemon.json");
  plant(target);
  expect(() => findDaemon(run)).toThrow(path);
  expect(() => new PublishedDiscovery(run, { ...FACTS, token: "other" })).toThrow(path);
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual(published.current);
});

test("a file that is no discovery is refused without a word of what is in it", () => {
  writeFileSync(path, "nacre_secret", { mode: 0o600 });
  expect(() => readDiscovery(run)).toThrow(/^((?!nacre_secret).)*not written by a daemon of this/);
  expect(existsSync(path)).toBe(true);
});
