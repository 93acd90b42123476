import { join } from "node:path";
import { sendSignal } from "../../pty/process-tree.ts";
import { endOrphans, isKeeperAlive, readKeeperManifest } from "../program-list.ts";

/** Ends the keeper of a home that a test is done with, at once, and everything that runs in it; nothing happens where there is none. */
export async function endKeeper(home: string): Promise<void> {
  const note = readKeeperManifest(join(home, "keeper.programs"));
  if (!note) return;
  if (isKeeperAlive(note)) sendSignal(note.keeper, "SIGKILL");
  while (isKeeperAlive(note)) await new Promise(setImmediate);
  await endOrphans(note, 0);
}
