import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

const root = join(import.meta.dirname, "..");

/** What all that is made depends on: how packages name each other's files. */
const PACKAGES = globSync("packages/*/package.json", { cwd: root });

/** How often one that waits for another looks whether it is done. */
const LOOK_AGAIN_MS = 50;

/** What SQLite says of a file that another process has locked. */
const SQLITE_BUSY = 5;

/** In every directory that is made, what it was made from. */
export const STAMP_FILE = ".made-from";

/** A directory, and the files and folders of the project that it is made of. */
interface Made {
  /** What it is called while somebody makes it. */
  readonly name: string;
  readonly directory: string;
  readonly sources: readonly string[];
}

/** Fills an empty directory. */
type Make = (empty: string) => Promise<void>;

/** Makes a directory anew unless it is there and fresh; of several that ask at once, one makes it for all. */
export async function keepFresh({ name, directory, sources }: Made, make: Make): Promise<void> {
  const stamp = stampOf(sources);
  if (isMadeFrom(directory, stamp)) return;
  using _lock = await lock(name);
  if (!isMadeFrom(directory, stamp)) await replace(directory, stamp, make);
}

/** Whether a directory is there and was made from just this. */
export function isMadeFrom(directory: string, stamp: string): boolean {
  const path = join(directory, STAMP_FILE);
  return existsSync(path) && readFileSync(path, "utf8") === stamp;
}

/** Makes a directory, and puts it in the place of the one before. */
export async function replace(directory: string, stamp: string, make: Make): Promise<void> {
  const made = mkdtempSync(`${directory}-`);
  const replaced = mkdtempSync(`${directory}-`);
  try {
    await make(made);
    writeFileSync(join(made, STAMP_FILE), stamp);
    chmodSync(made, 0o755);
    // Out of the way at once: removing takes longer than others may find nothing there.
    if (existsSync(directory)) renameSync(directory, replaced);
    renameSync(made, directory);
  } finally {
    for (const one of [made, replaced]) rmSync(one, { recursive: true, force: true });
  }
}

/** Waits until nobody else makes this; a lock of SQLite ends with its process, however that ends. */
export async function lock(name: string): Promise<Disposable> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const database = new DatabaseSync(join(cache, `${name}.lock`));
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return { [Symbol.dispose]: () => database.close() };
    } catch (error) {
      const isBusy = error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
      if (!isBusy) {
        database.close();
        throw error;
      }
      await wait(LOOK_AGAIN_MS);
    }
  }
}

/** What tells one state of these files and folders, and of how packages name each other's files, from another. */
export function stampOf(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of [...sources, ...PACKAGES].flatMap(filesOf))
    hash.update(`${file}\0`).update(readFileSync(file));
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
