// What is left of the programs of a keeper that is gone.
import { setTimeout as wait } from "node:timers/promises";
import { nowTicks } from "../pty/linux-calls.ts";
import { listProcesses } from "../pty/process-table.ts";
import { endTree, isAlive, send, type TreeRoot } from "../pty/process-tree.ts";
import { DEFAULT_GRACE_MS, type KillReport } from "../pty/pty.ts";
import { readBootId } from "./hello.ts";
import type { KeeperNote, ListedProgram } from "./program-list.ts";

/** A keeper that is told to end ends its programs first. */
const MAX_KEEPER_END_MS = DEFAULT_GRACE_MS + 2000;

const LOOK_MS = 20;

/** A time before which nothing started. */
const NEVER = -1;

/** Whether the machine still runs as it did then; without a way to tell, a process cannot be told from a stranger. */
export const isSameBoot = ({ bootId }: { readonly bootId: string }): boolean =>
  bootId !== "" && bootId === readBootId();

/** Whether the very keeper that left a note still runs. */
export const isKeeperAlive = ({ keeper }: KeeperNote): boolean =>
  isSameBoot(keeper) && isAlive(keeper);

/** Ends what is left of the programs of a keeper that is gone, or that nobody can reach any more; never what is not proven to be of them. */
export async function endLeftovers(
  note: KeeperNote,
  graceMs = DEFAULT_GRACE_MS,
): Promise<Pick<KillReport, "ended" | "survivors">> {
  if (!isSameBoot(note.keeper)) return { ended: 0, survivors: [] };
  await endKeeper(note);
  const reports = await Promise.all(note.programs.map((program) => endProgram(program, graceMs)));
  return {
    ended: reports.reduce((sum, { ended }) => sum + ended, 0),
    survivors: reports.flatMap(({ survivors }) => survivors),
  };
}

/** Its socket is gone, such as with the directory of a session that ended: nobody can ever talk to it again. */
async function endKeeper(note: KeeperNote): Promise<void> {
  if (!isKeeperAlive(note)) return;
  send(note.keeper, "SIGTERM");
  const deadline = performance.now() + MAX_KEEPER_END_MS;
  while (isKeeperAlive(note)) {
    if (performance.now() > deadline) send(note.keeper, "SIGKILL");
    await wait(LOOK_MS);
  }
}

async function endProgram({ id, leader }: ListedProgram, graceMs: number): Promise<KillReport> {
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
