/** Starting a program on a new terminal of the kernel. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { NacreError } from "@nacre/contracts";
import * as calls from "./linux-calls.ts";
import { MARKER_VARIABLE } from "./process-table.ts";
import type { PtyLaunch } from "./pty.ts";

const SETSID = ["/usr/bin", "/bin", ...(process.env["PATH"] ?? "").split(":")]
  .map((directory) => `${directory}/setsid`)
  .find((path) => existsSync(path));

type RunningChild = ChildProcess & { readonly pid: number };

/** A program that was started, and the program's end of its terminal, which is ours to close. */
export interface Started {
  readonly child: RunningChild;
  readonly slave: number;
}

const isRunning = (child: ChildProcess): child is RunningChild => child.pid !== undefined;

/** Opens the host's end of a new terminal. */
export function openMaster(): number {
  try {
    // Node opens everything close-on-exec, so no other program can inherit the master.
    return openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = hasCode(cause, "ENOSPC", "EMFILE", "ENFILE") ? "limit_reached" : "pty_unavailable";
    throw new NacreError(code, `cannot open a pseudo-terminal: ${String(cause)}`, { cause });
  }
}

/** Starts a program as the leader of a session that has the terminal, in the directory `on.cwd`. */
export async function startChild(
  launch: PtyLaunch,
  on: { id: string; master: number; cwd: string },
): Promise<Started> {
  if (!SETSID) throw new NacreError("pty_unavailable", "the program setsid is missing");
  const slave = calls.openSlave(on.master);
  try {
    calls.hideDescriptors();
    // setsid makes the program the leader of a session that has the terminal, then becomes that program.
    const child = spawn(SETSID, ["-c", launch.file, ...launch.args], {
      cwd: on.cwd,
      env: { ...launch.env, [MARKER_VARIABLE]: on.id },
      stdio: [slave, slave, slave],
    });
    if (isRunning(child)) return { child, slave };
    const [error]: unknown[] = await once(child, "error");
    throw error;
  } catch (cause) {
    closeSync(slave);
    const code = hasCode(cause, "E2BIG") ? "invalid_argument" : "spawn_failed";
    throw new NacreError(code, `cannot start ${launch.file}: ${String(cause)}`, { cause });
  }
}

/** True when an error is the system's, with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));
