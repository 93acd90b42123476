import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { errnoOf } from "./errno.ts";
import type { DirectoryHandle } from "./open-directory.ts";

const FILE_MODE = 0o600;

/** What a file is called until it is whole; leftovers of a killed process are known by it. */
const DRAFT_NAME = /^\.nacre-[0-9a-f]{24}\.tmp$/;

/** A file to be written as a whole. */
export interface FileReplacement {
  readonly directory: DirectoryHandle;
  readonly name: string;
  readonly text: string;
  /** Whether it is to be on the disk before anybody sees it. */
  readonly isDurable?: boolean | undefined;
}

/** Replaces a file as a whole: whoever reads it has the old text or the new one, and a link in its place is replaced, not followed. */
export async function replaceFile({
  directory,
  name,
  text,
  isDurable,
}: FileReplacement): Promise<void> {
  const draft = directory.pathOf(`.nacre-${randomBytes(12).toString("hex")}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(draft, flags, FILE_MODE);
  try {
    try {
      await file.writeFile(text);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await moveInto(directory, draft, name);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Puts a draft into its place; a directory that lies there is moved aside, as its content is nobody's to remove. */
async function moveInto(directory: DirectoryHandle, draft: string, name: string): Promise<void> {
  const path = directory.pathOf(name);
  try {
    await rename(draft, path);
  } catch (error) {
    if (errnoOf(error) !== "EISDIR") throw error;
    await rename(path, directory.pathOf(`${name}.moved-${randomBytes(12).toString("hex")}`));
    await rename(draft, path);
  }
}

/** Removes what a process that was killed left half-written. */
export async function removeDrafts(directory: DirectoryHandle): Promise<void> {
  for (const name of await directory.list()) {
    if (!DRAFT_NAME.test(name)) continue;
    // Only files are ours: what else somebody called so stays, and harms nobody.
    await rm(directory.pathOf(name), { force: true }).catch(() => undefined);
  }
}
