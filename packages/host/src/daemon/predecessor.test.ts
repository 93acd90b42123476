// What a daemon does with the keeper and the programs that another daemon left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Config, defaultConfig } from "../config/config.ts";
import { type Directories, findDirectories } from "../config/directories.ts";
import { createHello } from "../keeper/frames.ts";
import { ProgramList, readKeeperManifest } from "../keeper/program-list.ts";
import { endKeeper } from "../keeper/testing/end-keeper.ts";
import { readProcess } from "../pty/process-table.ts";
import { isAlive } from "../pty/process-tree.ts";
import type { Daemon } from "./daemon.ts";
import { keeperListPath, KeeperProcess, keeperSocketPath } from "./keeper-process.ts";
import { Log } from "./log.ts";
import { startDaemon } from "./main.ts";

let home: string;
let directories: Directories;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nacre-left-"));
  directories = findDirectories({ NACRE_HOME: home }, "/nowhere");
});
afterEach(async () => {
  await endKeeper(home);
  rmSync(home, { recursive: true });
});

const start = (settings: Partial<Config> = {}): Promise<Daemon> =>
  startDaemon({
    config: { ...defaultConfig(), port: 0, ...settings },
    directories,
    version: "0.0.0-test",
    log: () => {},
  });

async function ask(daemon: Daemon, path: string, body?: object): Promise<unknown> {
  const token = new URL(daemon.urlWithToken).hash.slice("#token=".length);
  const answer = await fetch(new URL(path, daemon.url), {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  return await answer.json();
}

/** A program that a daemon left in the keeper. */
async function leaveProgram() {
  const daemon = await start();
  const { id } = (await ask(daemon, "/api/terminals", {
    command: "/bin/sleep",
    args: ["600"],
  })) as { readonly id: string };
  await daemon.stop({ keepsPrograms: true });
  const note = readKeeperManifest(keeperListPath(directories))!;
  const [program] = note.programs;
  return { id, keeper: note.keeper, leader: program!.leader };
}

test("a daemon that cannot start leaves the programs of its predecessor to the next one", async () => {
  const { id, keeper, leader } = await leaveProgram();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  await expect(start({ port })).rejects.toThrow("another program listens there");
  other.close();
  expect([keeper, leader].map(isAlive)).toEqual([true, true]);

  writeFileSync(join(home, "agents"), "");
  const settings = { agentDirectories: ["agent"], agentDirectoryRoot: join(home, "agents") };
  await expect(start(settings)).rejects.toMatchObject({ name: expect.any(String) });
  expect([keeper, leader].map(isAlive)).toEqual([true, true]);

  await using daemon = await start();
  expect(await ask(daemon, `/api/terminals/${id}`)).toMatchObject({ state: "active" });
  await daemon.stop();
  expect(isAlive(leader)).toBe(false);
  await expect.poll(() => isAlive(keeper)).toBe(false);
});

test("a daemon without a keeper does not start beside programs in one", async () => {
  const { leader } = await leaveProgram();
  await expect(start({ keeper: false })).rejects.toMatchObject({
    code: "conflict",
    suggestion: expect.stringContaining("nacre stop"),
  });
  expect(isAlive(leader)).toBe(true);
});

test("a keeper is found where it listens, also from another run directory", async () => {
  const { id, keeper } = await leaveProgram();
  const run = join(home, "elsewhere");
  directories = { ...directories, run };
  await using daemon = await start();
  expect(await ask(daemon, `/api/terminals/${id}`)).toMatchObject({ state: "active" });
  expect(readKeeperManifest(keeperListPath(directories))?.keeper).toEqual(keeper);
});

test("state directories with the same run directory have keepers of their own", () => {
  const other = { ...directories, state: join(home, "other") };
  expect(keeperSocketPath(other)).not.toBe(keeperSocketPath(directories));
});

const openKeeper = (maxReachMs?: number): Promise<KeeperProcess> => {
  const log = new Log({ state: directories.state, level: "error", sink: () => undefined });
  const ending = { keepsPrograms: false };
  const more = maxReachMs === undefined ? {} : { maxReachMs };
  return KeeperProcess.open({ directories, version: "test", log, ending, ...more });
};

/** A note of a keeper that is this process, and listens there. */
function writeNote(socketPath: string, startTicks: number, pid: number): void {
  const keeper = { ...createHello("test"), pid, startTicks, socketPath };
  new ProgramList(keeperListPath(directories), keeper, (error) => expect.fail(String(error)));
}

test.each(["listens no more", "closes without a word"])(
  "a keeper that lives and %s is not ended: its number is told",
  async (how) => {
    mkdirSync(directories.run);
    const socketPath = join(home, "its.sock");
    const closing = createServer((socket) => socket.destroy());
    using _ = { [Symbol.dispose]: () => closing.close() };
    if (how !== "listens no more") await once(closing.listen(socketPath), "listening");
    const living = spawn("/bin/sleep", ["600"]);
    const { pid = 0 } = living;
    try {
      writeNote(socketPath, readProcess(pid)?.startTicks ?? 0, pid);
      await expect(openKeeper(50)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining(`the keeper with pid ${pid} runs and does not answer`),
      });
      expect(readProcess(pid)).toMatchObject({ isDead: false });
    } finally {
      living.kill("SIGKILL");
    }
  },
);

test("a keeper with the number of an earlier one is another", async () => {
  mkdirSync(directories.run);
  const first = await openKeeper();
  expect(first.lostReason).toBe("hostEnded");
  const { pid, startTicks } = readKeeperManifest(keeperListPath(directories))!.keeper;
  await using _ = first;
  writeNote(keeperSocketPath(directories), startTicks - 1, pid);
  await using second = await openKeeper();
  expect([await second.pid(), second.lostReason]).toEqual([pid, "keeperEnded"]);
});

test("a path that is too long for the socket of the keeper is refused with a reason", async () => {
  directories = { ...directories, run: join(home, "r".repeat(90)) };
  await expect(openKeeper()).rejects.toMatchObject({ code: "invalid_argument" });
});
