import { join } from "node:path";
import { endLeftovers, isKeeperAlive } from "../leftovers.ts";
import { readKeeperNote } from "../program-list.ts";
import { send } from "../../pty/process-tree.ts";

/** Ends the keeper of a home that a test is done with, at once, and everything that runs in it; nothing happens where there is none. */
export async function endKeeper(home: string): Promise<void> {
  const note = readKeeperNote(join(home, "keeper.programs"));
  if (!note) return;
  if (isKeeperAlive(note)) send(note.keeper, "SIGKILL");
  while (isKeeperAlive(note)) await new Promise(setImmediate);
  await endLeftovers(note, 0);
}
