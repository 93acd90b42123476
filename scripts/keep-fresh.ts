import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** A directory, and the files and folders of the project that it is made of. */
export interface Made {
  readonly directory: string;
  readonly sources: readonly string[];
}

/** Makes a directory anew unless it is there and fresh; several may ask at once. */
export async function keepFresh(
  { directory, sources }: Made,
  make: (empty: string) => Promise<void>,
): Promise<void> {
  const stamp = stampOf(sources);
  const stampPath = join(directory, ".made-from");
  if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp) return;
  const made = mkdtempSync(`${directory}-`);
  try {
    await make(made);
    writeFileSync(join(made, ".made-from"), stamp);
    chmodSync(made, 0o755);
    rmSync(directory, { recursive: true, force: true });
    renameSync(made, directory);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function stampOf(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of sources.flatMap(filesOf)) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

function filesOf(path: string): readonly string[] {
  const absolute = join(root, path);
  if (!statSync(absolute).isDirectory()) return [absolute];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((one, other) => (one < other ? -1 : 1));
}
