import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foreignDescriptors } from "./contract/process-cases.ts";
import { DEAF_LAUNCH, PtyReader, Scratch, scriptLaunch } from "./contract/pty-fixtures.ts";
import { nowTicks } from "./linux-calls.ts";
import { linuxPty } from "./linux-pty.ts";
import { readProcess } from "./process-table.ts";
import { endTree, findTree, isAlive, sendSignal } from "./process-tree.ts";

const readyPty = async (launch = DEAF_LAUNCH) => {
  const pty = await linuxPty.spawn(launch);
  await new PtyReader(pty).until("ready");
  return pty;
};

test("the facts of a process survive any name", async () => {
  const script = `cp /bin/sleep "$1"; printf ready; exec "$1" 1000`;
  using scratch = new Scratch();
  await using pty = await readyPty(scriptLaunch(script, scratch.file("nacre ) R 1 (")));
  while (readProcess(pty.leader.pid)?.name === "sh") await new Promise(setImmediate);
  expect(readProcess(pty.leader.pid)).toMatchObject({
    name: "nacre ) R 1 (",
    session: pty.leader.pid,
    parent: process.pid,
    startTicks: pty.leader.startTicks,
  });
  expect(readProcess(0x7fff_ffff)).toBeUndefined();
});

test("a recycled number is a stranger: not found, not signalled, not waited for", async () => {
  await using stranger = await readyPty();
  const { pid, startTicks } = stranger.leader;
  const gone = { pid, startTicks: startTicks - 1 };
  const root = { leader: gone, marker: "someone else", leaderGoneAtTicks: startTicks - 1 };
  expect(await findTree(root)).toEqual([]);
  expect(await endTree(() => root, 0)).toEqual({ ended: 0, forced: false, survivors: [] });
  sendSignal(gone, "SIGKILL");
  expect(isAlive(gone)).toBe(false);
  expect(isAlive(stranger.leader)).toBe(true);
});

test("what is left of a session is found after its leader is gone", async () => {
  const script = "trap '' HUP; sleep 1000 & printf ready; exit 0";
  await using pty = await linuxPty.spawn(scriptLaunch(script));
  await pty.exited;
  const root = { leader: pty.leader, marker: "none", leaderGoneAtTicks: nowTicks() };
  expect((await findTree(root)).map(({ name }) => name)).toEqual(["sleep"]);
  expect(await pty.kill(0)).toMatchObject({ ended: 1, survivors: [] });
});

test("a group is killed before anybody looks for what is in it, also where no table shows it", async () => {
  const { pid = 0 } = spawn("/bin/sleep", ["1000"], { stdio: "ignore" });
  const isRunning = (): boolean => readProcess(pid)?.isDead === false;
  let kills = 0;
  const group = {
    members: () => new Set(isRunning() ? [pid] : []),
    kill: () => {
      kills++;
      process.kill(pid, "SIGKILL");
    },
  };
  // Nothing is as young as this leader, so only the group knows of the process.
  const leader = { pid: 0x7fff_ffff, startTicks: Number.MAX_SAFE_INTEGER };
  const root = { leader, marker: "none", group };
  expect((await findTree(root)).map((one) => one.pid)).toEqual([pid]);
  const ending = endTree(() => root, 0);
  expect(kills).toBe(1);
  expect(await ending).toEqual({ ended: 1, forced: true, survivors: [] });
});

test("whoever asks is never part of what is ended", async () => {
  const { startTicks = 0 } = readProcess(process.pid) ?? {};
  const members = (): ReadonlySet<number> => new Set([process.pid]);
  const group = { members, kill: () => {} };
  const leader = { pid: process.pid, startTicks };
  const found = await findTree({ leader, marker: "none", group });
  expect(found.map(({ pid }) => pid)).not.toContain(process.pid);
});

test("descriptors that the host was started with stay with the host", () => {
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const program = `
    import { linuxPty } from ${module("linux-pty.ts")};
    import { programLaunch, runToEnd } from ${module("contract/pty-fixtures.ts")};
    const { text } = await runToEnd(linuxPty, programLaunch("/bin/ls", "-l", "/proc/self/fd"));
    process.stdout.write(text);`;
  const node = [
    process.execPath,
    "--conditions=nacre-source",
    "--input-type=module",
    "-e",
    program,
  ];
  const listing = execFileSync("bash", ["-c", 'exec 40</etc/passwd; exec "$@"', "bash", ...node], {
    encoding: "utf8",
  });
  expect(listing).toMatch(/0 -> \/dev\/pts/);
  expect(foreignDescriptors(listing)).toEqual([]);
});
