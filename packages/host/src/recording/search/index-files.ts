import { rmSync } from "node:fs";

/** SQLite's result codes for what may pass: busy, locked, no memory, failed input or output, full, cannot open. */
const TRANSIENT_CODES: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14]);

/** Removes an index with all its files. */
export function removeIndexFiles(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

/** Whether the same may work later, without making the index anew. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Error && "errcode" in error && TRANSIENT_CODES.has(Number(error.errcode) % 256)
  );
}
