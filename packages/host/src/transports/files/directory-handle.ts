import { randomBytes } from "node:crypto";
import { constants, mkdirSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { hasErrno } from "../../base/errno.ts";

const PARENT_MODE = 0o700;

/** The directories of one agent, held open: its own, the one for requests and the one for answers. */
export class ControlTree implements AsyncDisposable {
  readonly root: DirectoryHandle;
  readonly control: DirectoryHandle;
  readonly requests: DirectoryHandle;

  private constructor(root: DirectoryHandle, control: DirectoryHandle, requests: DirectoryHandle) {
    this.root = root;
    this.control = control;
    this.requests = requests;
  }

  /** Opens the directories and makes those that are missing; refuses what others can reach. */
  static async open(path: string): Promise<ControlTree> {
    mkdirSync(dirname(path), { recursive: true, mode: PARENT_MODE });
    await using stack = new AsyncDisposableStack();
    const root = stack.use(await DirectoryHandle.open(path));
    const control = stack.use(await root.openInner("control"));
    const requests = stack.use(await root.openInner("requests"));
    await removeDrafts(root);
    await removeDrafts(requests);
    stack.move();
    return new ControlTree(root, control, requests);
  }

  /** Whether none of the directories was replaced or removed. */
  async isInPlace(): Promise<boolean> {
    for (const directory of this.#all) if (!(await directory.isInPlace())) return false;
    return true;
  }

  /** Refuses the directories when they are not ours alone. */
  async check(): Promise<void> {
    for (const directory of this.#all) await directory.check();
  }

  get #all(): readonly DirectoryHandle[] {
    return [this.root, this.control, this.requests];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const directory of this.#all.toReversed()) await directory[Symbol.asyncDispose]();
  }
}

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
    if (!hasErrno(error, "EISDIR")) throw error;
    await rename(path, directory.pathOf(`${name}.moved-${randomBytes(12).toString("hex")}`));
    await rename(draft, path);
  }
}

/** Removes what a process that was killed left half-written. */
async function removeDrafts(directory: DirectoryHandle): Promise<void> {
  for (const name of await directory.list()) {
    if (!DRAFT_NAME.test(name)) continue;
    // Only files are ours: what else somebody called so stays, and harms nobody.
    await rm(directory.pathOf(name), { force: true }).catch(() => undefined);
  }
}

const DIRECTORY_MODE = 0o700;
const OTHERS = 0o077;

/** A directory that is held open: what is in it is reached through the directory itself, whatever its path leads to by now. */
export class DirectoryHandle implements AsyncDisposable {
  readonly #handle: FileHandle;
  /** How others reach it; only looked at, never gone through. */
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Opens a directory of ours that others cannot enter, and makes it where there is none; refuses everything else. */
  static async open(path: string): Promise<DirectoryHandle> {
    try {
      await mkdir(path, { mode: DIRECTORY_MODE });
    } catch (error) {
      // What is there instead is looked at below.
      if (!hasErrno(error, "EEXIST"))
        throw unusableDirectory(path, `cannot be made: ${String(error)}`);
    }
    const directory = new DirectoryHandle(await openNoFollow(path), path);
    try {
      await directory.check();
      if (!(await directory.isInPlace())) throw unusableDirectory(path, "was replaced or removed");
    } catch (error) {
      await directory[Symbol.asyncDispose]();
      throw error;
    }
    return directory;
  }

  /** Opens a directory inside this one in the same way. */
  async openInner(name: string): Promise<DirectoryHandle> {
    return await DirectoryHandle.open(this.pathOf(name));
  }

  /** Where something in the directory is, by way of its descriptor; by its path where the system has no such way. */
  pathOf(name: string): string {
    return join(this.own, name);
  }

  /** The directory itself, by way of its descriptor. */
  get own(): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }

  /** Whether its path still leads to it. */
  async isInPlace(): Promise<boolean> {
    // What cannot be looked at any more has to be opened anew.
    const own = await this.#handle.stat().catch(() => undefined);
    const there = await lstat(this.#path).catch(() => undefined);
    return own !== undefined && there?.ino === own.ino && there.dev === own.dev;
  }

  /** Refuses the directory when it is another's, or open to others. */
  async check(): Promise<void> {
    const stats = await this.#handle.stat();
    const uid = process.getuid?.() ?? stats.uid;
    if (stats.uid !== uid) throw unusableDirectory(this.#path, `belongs to user ${stats.uid}`);
    if ((stats.mode & OTHERS) !== 0 && process.getuid !== undefined) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
      throw unusableDirectory(this.#path, `has mode ${mode}, so that others can reach it`);
    }
  }

  /** The names in it. */
  async list(): Promise<readonly string[]> {
    return await readdir(this.own);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function openNoFollow(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    const isLink = hasErrno(error, "ELOOP", "ENOTDIR");
    throw unusableDirectory(
      path,
      isLink ? "is no directory" : `cannot be opened: ${String(error)}`,
    );
  }
}

const unusableDirectory = (path: string, problem: string): NacreError =>
  new NacreError("unavailable", `the control directory ${path} ${problem}; it is not served`, {
    suggestion: "Make it a directory of your own with mode 0700.",
  });
