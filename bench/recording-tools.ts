// What the benchmarks of recordings share.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { TerminalId } from "@nacre/contracts";
import type { Recording, Recordings } from "@nacre/host";

/** The recordings of some terminals, ready to be appended to. */
export function openTerminals(recordings: Recordings, count: number): Promise<Recording[]> {
  const row = { owner: { entityName: "Bench", entityId: "1" }, workingDirectory: "/" };
  const createdAt = new Date().toISOString();
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      recordings.create({ id: TerminalId.parse(`terminal:${n}`), ...row, createdAt }),
    ),
  );
}

/** The size of files whose names begin so. */
export function sizeOf(directory: string, beginning: string): number {
  return readdirSync(directory)
    .filter((name) => name.startsWith(beginning))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}
