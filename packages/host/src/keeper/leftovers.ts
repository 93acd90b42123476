// What is left of the programs of a keeper that is gone.
import { nowTicks } from "../pty/linux-calls.ts";
import { listProcesses } from "../pty/process-table.ts";
import { endTree, isAlive, type TreeRoot } from "../pty/process-tree.ts";
import { DEFAULT_GRACE_MS, type KillReport } from "../pty/pty.ts";
import { readBootId } from "./hello.ts";
import type { KeeperManifest, ListedProgram } from "./program-list.ts";

/** A time before which nothing started. */
const NEVER = -1;

/** Whether the machine still runs as it did then; without a way to tell, a process cannot be told from a stranger. */
export const isSameBoot = ({ bootId }: { readonly bootId: string }): boolean =>
  bootId !== "" && bootId === readBootId();

/** Whether the very keeper that left a note still runs. */
export const isKeeperAlive = ({ keeper }: KeeperManifest): boolean =>
  isSameBoot(keeper) && isAlive(keeper);

/** Ends what is left of the programs of a keeper that is gone; never those of one that lives, nor what is not proven to be of them. */
export async function endOrphans(
  note: KeeperManifest,
  graceMs = DEFAULT_GRACE_MS,
): Promise<Pick<KillReport, "ended" | "survivors">> {
  if (!isSameBoot(note.keeper) || isKeeperAlive(note)) return { ended: 0, survivors: [] };
  const reports = await Promise.all(note.programs.map((program) => endOrphan(program, graceMs)));
  return {
    ended: reports.reduce((sum, { ended }) => sum + ended, 0),
    survivors: reports.flatMap(({ survivors }) => survivors),
  };
}

async function endOrphan({ id, leader }: ListedProgram, graceMs: number): Promise<KillReport> {
  const root: TreeRoot = {
    leader,
    marker: id,
    leaderGoneAtTicks: (await isSessionOurs({ id, leader })) ? nowTicks() : NEVER,
  };
  return await endTree(() => root, graceMs);
}

/**
 * The kernel gives away the number of a session only when nobody is in it any more. So it is ours while its leader lives,
 * or somebody is in it who carries our marker; otherwise it may be that of a stranger.
 */
async function isSessionOurs({ id, leader }: ListedProgram): Promise<boolean> {
  if (isAlive(leader)) return true;
  const processes = await listProcesses();
  return processes.some(
    (one) =>
      one.session === leader.pid && one.startTicks >= leader.startTicks && one.marker() === id,
  );
}
