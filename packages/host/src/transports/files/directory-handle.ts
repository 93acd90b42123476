import { randomBytes } from "node:crypto";
import { constants, mkdirSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { hasErrno } from "../../base/errno.ts";

const PARENT_MODE = 0o700;

/** An agent's directories, held open: its own, the one for requests and the one for answers. */
export class ControlTree implements AsyncDisposable {
  readonly root: DirectoryHandle;
  readonly control: DirectoryHandle;
  readonly requests: DirectoryHandle;

  private constructor(root: DirectoryHandle, control: DirectoryHandle, requests: DirectoryHandle) {
    this.root = root;
    this.control = control;
    this.requests = requests;
  }

  /** Creates missing ones; refuses what others can reach. */
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

  /** None was replaced or removed. */
  async isInPlace(): Promise<boolean> {
    for (const directory of this.#all) if (!(await directory.isInPlace())) return false;
    return true;
  }

  /** Throws when they are not ours alone. */
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

/** Temporary name; recognises leftovers of a killed process. */
const DRAFT_NAME = /^\.nacre-[0-9a-f]{24}\.tmp$/;

export interface FileReplacement {
  readonly directory: DirectoryHandle;
  readonly name: string;
  readonly text: string;
  /** fsync before the rename. */
  readonly isDurable?: boolean | undefined;
}

/** Atomic; a symlink in its place is replaced, not followed. */
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

/** A directory in its place is moved aside, as its content is not ours to remove. */
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

/** Half-written files of a killed process. */
async function removeDrafts(directory: DirectoryHandle): Promise<void> {
  for (const name of await directory.list()) {
    if (!DRAFT_NAME.test(name)) continue;
    // Only files are ours; anything else of that name stays.
    await rm(directory.pathOf(name), { force: true }).catch(() => undefined);
  }
}

const DIRECTORY_MODE = 0o700;
const OTHERS = 0o077;

/** Held open: entries are reached through the descriptor, whatever the path leads to by now. */
export class DirectoryHandle implements AsyncDisposable {
  readonly #handle: FileHandle;
  /** Only compared, never traversed. */
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Creates it, or opens a private one of ours; refuses anything else. */
  static async open(path: string): Promise<DirectoryHandle> {
    try {
      await mkdir(path, { mode: DIRECTORY_MODE });
    } catch (error) {
      // What exists is checked below.
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

  async openInner(name: string): Promise<DirectoryHandle> {
    return await DirectoryHandle.open(this.pathOf(name));
  }

  /** Through `/proc/self/fd`; by path where the system has none. */
  pathOf(name: string): string {
    return join(this.own, name);
  }

  /** Through its descriptor. */
  get own(): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#handle.fd}` : this.#path;
  }

  /** Its path still leads to it. */
  async isInPlace(): Promise<boolean> {
    // What cannot be examined has to be opened anew.
    const own = await this.#handle.stat().catch(() => undefined);
    const there = await lstat(this.#path).catch(() => undefined);
    return own !== undefined && there?.ino === own.ino && there.dev === own.dev;
  }

  /** Throws when it is another's, or open to others. */
  async check(): Promise<void> {
    const stats = await this.#handle.stat();
    const uid = process.getuid?.() ?? stats.uid;
    if (stats.uid !== uid) throw unusableDirectory(this.#path, `belongs to user ${stats.uid}`);
    if ((stats.mode & OTHERS) !== 0 && process.getuid !== undefined) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
      throw unusableDirectory(this.#path, `has mode ${mode}, so that others can reach it`);
    }
  }

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
