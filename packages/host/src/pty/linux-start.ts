/** Starts a program on a new PTY. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { NacreError } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import { toExhaustionError } from "./resource-exhaustion.ts";
import * as calls from "./linux-calls.ts";
import { MARKER_VARIABLE } from "./process-table.ts";
import type { PtyLaunch } from "./pty.ts";

const SETSID = ["/usr/bin", "/bin", ...(process.env["PATH"] ?? "").split(":")]
  .map((directory) => `${directory}/setsid`)
  .find((path) => existsSync(path));

export type RunningChild = ChildProcess & { readonly pid: number };

/** The slave is the caller's to close. */
export interface StartedChild {
  readonly child: RunningChild;
  readonly slave: number;
}

const isRunning = (child: ChildProcess): child is RunningChild => child.pid !== undefined;

export function openMaster(): number {
  try {
    // Node opens with O_CLOEXEC, so no other program inherits the master.
    return openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (cause) {
    const message = "cannot open a pseudo-terminal";
    throw (
      toExhaustionError(message, cause) ??
      new NacreError("pty_unavailable", `${message}: ${String(cause)}`, { cause })
    );
  }
}

/** As session leader with this controlling terminal. */
export async function startChild(
  launch: PtyLaunch,
  on: { id: string; master: number; cwd: string; words: readonly string[] },
): Promise<StartedChild> {
  if (!SETSID) throw new NacreError("pty_unavailable", "the program setsid is missing");
  const slave = calls.openSlave(on.master);
  try {
    // `setsid -c` makes a session leader with this controlling terminal, then execs the program.
    const words = [...on.words, SETSID, "-c"];
    const stdio: StartOptions["stdio"] = [slave, slave, slave];
    const child = await startMarked(launch, { ...on, words, stdio, leads: false });
    return { child, slave };
  } catch (error) {
    closeSync(slave);
    throw error;
  }
}

export interface StartOptions {
  /** Value of the marker variable by which the program is found again. */
  readonly id: string;
  readonly cwd: string;
  /** The only descriptors that the program gets. */
  readonly stdio: [input: number, output: number, errors: number];
  /** Commands with arguments; each execs the next, the last is the program. */
  readonly words: readonly string[];
  /** Leads a session from the first command on. */
  readonly leads: boolean;
}

export async function startMarked(
  launch: PtyLaunch,
  { id, cwd, stdio, words, leads }: StartOptions,
): Promise<RunningChild> {
  const [file = launch.file, ...args] = [...words, launch.file, ...launch.args];
  try {
    calls.hideDescriptors();
    const env = { ...launch.env, [MARKER_VARIABLE]: id };
    const options = { cwd, env, stdio, detached: leads };
    const child = withUmask(launch.umask, () => spawn(file, args, options));
    if (isRunning(child)) return child;
    const [error]: unknown[] = await once(child, "error");
    throw error;
  } catch (cause) {
    const message = `cannot start ${launch.file}`;
    const code = hasErrno(cause, "E2BIG") ? "invalid_argument" : "spawn_failed";
    throw (
      toExhaustionError(message, cause) ??
      new NacreError(code, `${message}: ${String(cause)}`, { cause })
    );
  }
}

/** Synchronous; other threads pass explicit modes. */
function withUmask<Result>(umask: number | undefined, act: () => Result): Result {
  if (umask === undefined) return act();
  const own = process.umask(umask);
  try {
    return act();
  } finally {
    process.umask(own);
  }
}
