import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ClientId, DEFAULT_SIZE, NacreError, type TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { type Directories, findDirectories } from "../config/directories.ts";
import { createHost, type Host, type HostOptions, LOCAL_CALLER } from "../host.ts";
import { KeeperLink } from "../keeper/keeper-link.ts";
import { readKeeperManifest } from "../keeper/program-list.ts";
import { echoPty } from "../pty/testing/echo-pty.ts";
import { readProcess } from "../pty/process-table.ts";
import { isAlive } from "../pty/process-tree.ts";
import { terminalId } from "../testing/terminal-row.ts";
import { KeeperProcess, keeperSocketPath } from "./keeper-process.ts";
import { Log } from "./log.ts";

const VICTIM = fileURLToPath(new URL("./testing/host.victim.ts", import.meta.url));
const [COUNTING, ASKING, ENDING, SHELL] = ["counting", "asking", "ending", "shell"].map(terminalId);

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** A home whose host was killed while its programs ran; what runs in it is ended with it. */
class KilledHome implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "nacre-killed-"));
  #victim: ChildProcess | undefined;

  /** Runs a host, and ends it in the middle of its work. */
  async killHost(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const args = ["--conditions=nacre-source", VICTIM, this.path];
    const victim = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#victim = victim;
    const [said]: unknown[] = await Promise.race([
      once(victim.stdout, "data"),
      once(victim, "exit"),
    ]);
    assert.equal(String(said), "up\n");
    await this.growth();
    victim.kill(signal);
    await once(victim, "exit");
  }

  /** Resolves when the program that counts has written more. */
  async growth(): Promise<void> {
    const size = (): number =>
      statSync(join(this.path, "truth"), { throwIfNoEntry: false })?.size ?? 0;
    const before = size();
    await until(() => size() > before + 1000);
  }

  write(name: string): void {
    writeFileSync(join(this.path, name), "");
  }

  get directories(): Directories {
    return findDirectories({ NACRE_HOME: this.path }, this.path);
  }

  async openKeeper(ending = { keepsPrograms: false }): Promise<KeeperProcess> {
    const { directories } = this;
    const log = new Log({ state: directories.state, level: "error", sink: () => undefined });
    return await KeeperProcess.open({ directories, version: "test", log, ending });
  }

  async openHost(
    keeper: KeeperProcess,
    handleAdopted?: HostOptions["handleAdopted"],
  ): Promise<Host> {
    return await createHost({
      directory: join(this.path, "recordings"),
      driver: keeper.driver("terminal"),
      pipes: keeper.driver("pipes"),
      lostReason: keeper.lostReason,
      ...(handleAdopted ? { handleAdopted } : {}),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#victim?.kill("SIGKILL");
    // A test that failed may not have come to the keeper of the victim.
    const socketPath = keeperSocketPath(this.directories);
    const link = await KeeperLink.connect({ socketPath, version: "test" }).catch(() => undefined);
    await link?.request({ call: "stop", graceMs: 0 }, () => undefined).catch(() => undefined);
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Everything that a recording has of the output; its entries follow each other without gap or overlap. */
async function recordedOutput(host: Host, id: TerminalId): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (let after = 0; ;) {
    const query = { terminalId: id, after, limit: 500, maxBytes: 4_000_000 };
    const entries = await host.recordings.readEntries(query);
    for (const entry of entries) {
      expect(entry.sequence).toBe(after + 1);
      after = entry.sequence;
      if (entry.type !== "output" || !entry.data) continue;
      expect(entry.offset).toBe(bytes);
      bytes += entry.data.byteLength;
      parts.push(entry.data);
    }
    if (entries.length === 0) return Buffer.concat(parts);
  }
}

test("terminals go on after their host was killed: not a byte is missing, twice, or in the wrong place", async () => {
  await using home = new KilledHome();
  await home.killHost();
  // Nobody is there, and the program does not notice.
  await home.growth();
  home.write("gone");
  await using keeper = await home.openKeeper();
  const told: unknown[] = [];
  await using host = await home.openHost(keeper, (found) => void told.push(found));
  expect(told).toEqual([{ adopted: 4, ended: 0, lost: 0 }]);

  expect(host.registry.list().map(({ id }) => id)).toEqual([COUNTING, ASKING, ENDING, SHELL]);
  const counting = host.registry.get(COUNTING!);
  expect(counting.summary).toMatchObject({ id: COUNTING, state: "active", title: "counted" });
  expect(counting.claims.state).toMatchObject({ claim: { kind: "client", clientId: "victim" } });
  await home.growth();
  home.write("stop");
  expect(await counting.ended).toMatchObject({ exitCode: 9 });
  const written = readFileSync(join(home.path, "truth"));
  expect((await recordedOutput(host, COUNTING!)).equals(written)).toBe(true);
  // Wherever the lines were wrapped.
  const end = written.toString().replaceAll(/\s/g, "").slice(-50);
  expect((await counting.reader.readScreen("text")).text.replaceAll(/\s/g, "")).toContain(end);

  const ending = host.registry.get(ENDING!);
  expect(await ending.ended).toMatchObject({ exitCode: 5 });
  expect((await recordedOutput(host, ENDING!)).toString()).toBe("bye");

  const asking = host.registry.get(ASKING!);
  expect(asking.status.size).toEqual({ cols: 100, rows: 30 });
  const typed = Buffer.from("answered");
  await expect(asking.write(typed, { by: LOCAL_CALLER })).rejects.toMatchObject({
    code: "claim_held",
  });
  const holder = { ...LOCAL_CALLER, clientId: ClientId.parse("victim") };
  const after = asking.lastSequence;
  await asking.write(typed, { by: holder });
  await asking.wait({ until: [{ kind: "text", text: "answered" }], after });
  expect((await recordedOutput(host, ASKING!)).toString()).toBe("readyanswered");
});

test("a shell goes on telling its commands after its host was killed: the one that ran, and the next", async () => {
  await using home = new KilledHome();
  await home.killHost();
  await using keeper = await home.openKeeper();
  await using host = await home.openHost(keeper);
  const shell = host.registry.get(SHELL!);
  const by = { ...LOCAL_CALLER, clientId: ClientId.parse("victim") };
  const commandLine = "while [ ! -e stop ]; do sleep 0.02; done; false";
  expect(shell.status.runningCommand).toMatchObject({ commandLine });
  home.write("stop");
  while (shell.status.runningCommand) await new Promise(setImmediate);
  const next = await shell.runCommand({ commandLine: "echo after" }, by);
  expect(next).toMatchObject({ outcome: "ended", command: { exitCode: 0 } });
  expect(await shell.commands.list()).toMatchObject([
    { commandLine: "echo before", exitCode: 0, quality: "exact" },
    { commandLine, exitCode: 1, quality: "exact" },
    { commandLine: "echo after", exitCode: 0, quality: "exact" },
  ]);
});

test("a program that no terminal knows is ended, and a keeper that was killed is replaced for the next", async () => {
  await using home = new KilledHome();
  await home.killHost();
  rmSync(join(home.path, "recordings"), { recursive: true });
  await using keeper = await home.openKeeper();
  const running = await keeper.driver("terminal").list();
  expect(running).toHaveLength(4);
  const told: unknown[] = [];
  await using host = await home.openHost(keeper, (found) => void told.push(found));
  expect(told).toEqual([{ adopted: 0, ended: 4, lost: 0 }]);
  expect(running.map(({ leader }) => readProcess(leader.pid))).toEqual(
    running.map(() => undefined),
  );

  const owner = { entityName: "Task", entityId: "7" };
  const input = { owner, workingDirectory: "/", command: "/bin/cat" };
  const lost = await host.createTerminal(input);
  const pid = await keeper.pid();
  process.kill(pid, "SIGKILL");
  expect(await lost.ended).toMatchObject({ drained: false });
  expect(lost.summary).toMatchObject({ state: "lost", lostReason: "keeperEnded" });
  const [last] = (await host.recordings.readWindow(lost.id)).entries.slice(-1);
  expect(last).toMatchObject({ type: "exit", exitCode: null, lostReason: "keeperEnded" });
  const next = await host.createTerminal(input);
  expect(next.summary.state).toBe("active");
  expect(await keeper.pid()).not.toBe(pid);
});

/** Ends a process at once, and waits until it has ended. */
async function killNow(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(() => readProcess(pid)?.isDead ?? true);
}

test.each(["keeperEnded", "machineRestarted"] as const)(
  "terminals that are gone with everything are lost, and their recordings sealed: %s",
  async (lostReason) => {
    await using home = new KilledHome();
    await home.killHost();
    const note = join(home.path, "keeper.programs");
    const { keeper: killed, programs } = readKeeperManifest(note)!;
    await killNow(killed.pid);
    const leaders = programs.map(({ leader }) => leader);
    if (lostReason === "machineRestarted") {
      for (const leader of leaders.filter(isAlive)) await killNow(leader.pid);
      writeFileSync(note, readFileSync(note, "utf8").replace(killed.bootId, "another"));
    }
    await using keeper = await home.openKeeper();
    expect(leaders.filter(isAlive)).toEqual([]);
    const told: unknown[] = [];
    await using host = await home.openHost(keeper, (found) => void told.push(found));
    expect(told).toEqual([{ adopted: 0, ended: 0, lost: 4 }]);
    expect(await host.recordings.listUnsealed()).toEqual([]);
    const data = await host.read(COUNTING!);
    expect(data).toMatchObject({ state: "lost", lostReason, dead: true, exitCode: null });
    expect(data.recordingEntries.at(-1)).toMatchObject({
      type: "exit",
      exitCode: null,
      lostReason,
    });
    const written = readFileSync(join(home.path, "truth"));
    const recorded = await recordedOutput(host, COUNTING!);
    expect(recorded.length).toBeGreaterThan(0);
    expect(written.subarray(0, recorded.length).equals(recorded)).toBe(true);
  },
);

test("programs that were left to the next host are with it, and whoever asks the first one is told to come back", async () => {
  await using home = new KilledHome();
  await home.killHost();
  const first = await home.openKeeper({ keepsPrograms: true });
  const host = await home.openHost(first);
  const asking = host.registry.get(ASKING!);
  const by = { ...LOCAL_CALLER, clientId: ClientId.parse("victim") };
  await asking.write(Buffer.from("one"), { by });
  const tooLate = host.registry
    .detach((error) => assert.fail(String(error)))
    .then(async () => {
      await expect(asking.write(Buffer.from("two"), { by })).rejects.toMatchObject({
        code: "unavailable",
      });
      await expect(host.read(ASKING!)).rejects.toMatchObject({ code: "unavailable" });
    });
  await tooLate;
  await host[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await home.growth();

  await using second = await home.openKeeper();
  await using next = await home.openHost(second);
  expect(next.registry.list().map(({ id }) => id)).toEqual([COUNTING, ASKING, ENDING, SHELL]);
  const again = next.registry.get(ASKING!);
  const after = again.lastSequence;
  await again.write(Buffer.from("three"), { by });
  await again.wait({ until: [{ kind: "text", text: "three" }], after });
  expect((await recordedOutput(next, ASKING!)).toString()).toBe("readyonethree");
  home.write("stop");
  const counting = next.registry.get(COUNTING!);
  expect(await counting.ended).toMatchObject({ exitCode: 9 });
  const written = readFileSync(join(home.path, "truth"));
  expect((await recordedOutput(next, COUNTING!)).equals(written)).toBe(true);
});

test("programs end with a daemon that was told to stop, also when it runs out of time", async () => {
  await using home = new KilledHome();
  await home.killHost("SIGUSR2");
  await expect.poll(() => existsSync(keeperSocketPath(home.directories))).toBe(false);
  const { size } = statSync(join(home.path, "truth"));
  await using keeper = await home.openKeeper();
  expect(await keeper.driver("terminal").list()).toEqual([]);
  expect(statSync(join(home.path, "truth")).size).toBe(size);
});

test("a program that cannot be adopted is told of, and keeps no host from starting", async () => {
  const running = { id: "broken", leader: { pid: 1, startTicks: 0 }, size: DEFAULT_SIZE };
  const broken = new NacreError("internal", "this one is broken");
  const problems: unknown[] = [];
  await using host = await createHost({
    driver: {
      ...echoPty,
      list: async () => [{ ...running, firstOffset: 0 }],
      adopt: () => Promise.reject(broken),
    },
    handleProblem: (_terminalId, error) => void problems.push(error),
  });
  expect(problems).toEqual([broken]);
  expect(host.registry.list()).toEqual([]);
});
