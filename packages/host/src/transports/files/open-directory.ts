import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { errnoOf } from "./errno.ts";

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
      if (errnoOf(error) !== "EEXIST")
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
    const isLink = errnoOf(error) === "ELOOP" || errnoOf(error) === "ENOTDIR";
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
