// A disk of a few megabytes that is gone with its process: a file system in memory that no other process sees.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What goes before a program that makes such a disk: it gets mounts of its own, and where needed the right to make them. */
export const OWN_MOUNTS: readonly string[] =
  process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--map-root-user", "--mount"];

/** Tells whether such a disk can be made here. */
export function canMakeDisks(): boolean {
  const [command, ...args] = [...OWN_MOUNTS, "mount", "-t", "tmpfs", "nacre", tmpdir()];
  return spawnSync(command, args).status === 0;
}

/** The disk is filled and emptied in pieces of this size, which is that of its blocks. */
const BLOCK_BYTES = 4096;

/** A small disk, for as long as this process lives. */
export class SmallDisk implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "nacre-disk-"));
  readonly #filler = join(this.directory, "filler");

  constructor(bytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "nacre", this.directory]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  /** Lets somebody else take all but so much of the disk. */
  fill(leaveBytes = 0): void {
    const file = openSync(this.#filler, "a");
    const block = new Uint8Array(BLOCK_BYTES);
    while (this.freeBytes > leaveBytes) writeSync(file, block);
    closeSync(file);
  }

  /** Gives back what `fill` took. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["--lazy", this.directory]);
    rmSync(this.directory, { recursive: true });
  }
}
