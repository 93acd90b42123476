import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { MARKER_VARIABLE, readProcess } from "../pty/process-table.ts";
import { isAlive } from "../pty/process-tree.ts";
import type { ProcessIdentity } from "../pty/pty.ts";
import { readBootId } from "./frames.ts";
import { endOrphans } from "./program-list.ts";

const MARKER = "a-pty-of-a-keeper";
/** A keeper that is gone: no process has this number. */
const GONE = { pid: 2 ** 30, startTicks: 1, bootId: readBootId(), version: "test" };

const identityOf = (pid: number): ProcessIdentity => ({
  pid,
  startTicks: readProcess(pid)?.startTicks ?? 0,
});

/** A program in a session of its own that ignores a hang-up, and says the numbers of what it started. */
class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly leader: ProcessIdentity;
  #started: readonly ProcessIdentity[] = [];

  private constructor(child: ChildProcess) {
    this.child = child;
    this.leader = identityOf(child.pid ?? 0);
  }

  static async start(script: string, marker = MARKER): Promise<Program> {
    const env = { PATH: process.env["PATH"], [MARKER_VARIABLE]: marker };
    const child = spawn("/bin/sh", ["-c", `trap '' HUP; ${script}`], {
      detached: true,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const program = new Program(child);
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    program.#started = said.toString().trim().split(/\s+/).map(Number).map(identityOf);
    return program;
  }

  /** Everything of it that still runs. */
  get living(): readonly number[] {
    return [this.leader, ...this.#started].filter(isAlive).map(({ pid }) => pid);
  }

  /** Ends its first process and leaves the others. */
  async endLeader(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.living) process.kill(pid, "SIGKILL");
  }
}

const BACKGROUND = "sleep 600 & a=$!; setsid sleep 600 & echo $a $!; wait";

test("what outlived its keeper is ended: the program, what ignores a hang-up, and what left its session", async () => {
  await using program = await Program.start(BACKGROUND);
  expect(program.living).toHaveLength(3);
  const programs = [{ id: MARKER, leader: program.leader }];
  const { ended, survivors } = await endOrphans({ keeper: GONE, programs });
  expect([ended, survivors, program.living]).toEqual([3, [], []]);
});

test("also when the program itself has ended before", async () => {
  await using program = await Program.start(BACKGROUND);
  await program.endLeader();
  const programs = [{ id: MARKER, leader: program.leader }];
  expect((await endOrphans({ keeper: GONE, programs })).ended).toBe(2);
  expect(program.living).toEqual([]);
});

test("nothing is ended after the machine was started anew: numbers mean others then", async () => {
  await using program = await Program.start(BACKGROUND);
  const programs = [{ id: MARKER, leader: program.leader }];
  for (const bootId of ["another", ""]) {
    expect((await endOrphans({ keeper: { ...GONE, bootId }, programs })).ended).toBe(0);
  }
  expect(program.living).toHaveLength(3);
});

test("a stranger with the number of a program, or in a session with its number, is left alone", async () => {
  await using stranger = await Program.start("sleep 600 & echo $!; wait", "another-marker");
  const { pid, startTicks } = stranger.leader;
  const earlier = { id: "a-marker-of-nobody", leader: { pid, startTicks: startTicks - 1 } };
  expect((await endOrphans({ keeper: GONE, programs: [earlier] })).ended).toBe(0);
  // Its leader is gone too, and only the number of the session is the same.
  await stranger.endLeader();
  expect((await endOrphans({ keeper: GONE, programs: [earlier] })).ended).toBe(0);
  expect(stranger.living).toHaveLength(1);
});
