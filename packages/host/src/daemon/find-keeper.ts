import type { Directories } from "../config/directories.ts";
import { isAlive } from "../pty/process-tree.ts";
import { readLiveManifest } from "./keeper-process.ts";

/** A keeper that runs. */
export interface FoundKeeper {
  readonly pid: number;
  /** Process start, in clock ticks since the machine did. */
  readonly startTime: number;
  readonly version: string;
  /** How many programs run in it. */
  readonly programs: number;
}

/** The keeper of these directories, if it runs, with or without a daemon; it is not asked, as it only speaks with its daemon. */
export function findKeeper(directories: Directories): FoundKeeper | undefined {
  const note = readLiveManifest(directories);
  if (!note) return undefined;
  const { pid, startTicks, version } = note.keeper;
  const programs = note.programs.filter(({ leader }) => isAlive(leader)).length;
  return { pid, startTime: startTicks, version, programs };
}
