import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { NacreError } from "@nacre/contracts/plain";
import { toExhaustionError } from "./resource-exhaustion.ts";

/** Opens a directory as a place only; needs no right to list it. */
const O_PATH = 0o10000000;

/** What decides where a program may start. */
export interface WorkingDirectoryPolicy {
  readonly home: string;
  /** Directories programs may start in or below; empty means anywhere. */
  readonly allowedRoots: readonly string[];
  /** `home` starts in the home directory when the one asked for cannot be used, and reports it. */
  readonly fallback?: "home";
}

/** Where a program starts, and whether that is what was asked for. */
export interface WorkingDirectory {
  readonly path: string;
  /** The roots it was held against, symbolic links resolved. */
  readonly allowedRoots: readonly string[];
  /** Why the home directory is used instead of the one asked for. */
  readonly fallbackReason?: NacreError;
}

/** Finds the directory to start in: existing, a directory, and inside the roots after symbolic links, or an error. */
export async function resolveWorkingDirectory(
  asked: string | undefined,
  policy: WorkingDirectoryPolicy,
): Promise<WorkingDirectory> {
  const allowedRoots = await realRoots(policy.allowedRoots);
  const trimmed = asked?.trim() ?? "";
  if (trimmed === "")
    return { path: await defaultDirectory(policy.home, allowedRoots), allowedRoots };
  try {
    return { path: await usableDirectory(trimmed, allowedRoots), allowedRoots };
  } catch (error) {
    if (policy.fallback !== "home" || !(error instanceof NacreError)) throw error;
    const path = await usableDirectory(policy.home, allowedRoots).catch(() => {
      // The caller asked for that directory, not for home, and has asked for the fallback already.
      throw new NacreError(error.code, `${error.message}, and home is outside the allowed roots`, {
        field: "cwd",
        suggestion: "Name a directory inside an allowed root.",
        cause: error,
      });
    });
    return { path, allowedRoots, fallbackReason: error };
  }
}

/** The path as the caller meant it: `//x` is `/x`, a WSL share keeps its two slashes; a relative one is refused. */
export function normalizeDirectory(path: string): string {
  if (path.includes("\0")) {
    throw new NacreError("invalid_argument", "the working directory contains a NUL character", {
      field: "cwd",
    });
  }
  if (path.startsWith("//wsl")) return path;
  const single = path.startsWith("//") ? path.slice(1) : path;
  if (!isAbsolute(single)) {
    throw new NacreError("invalid_argument", `the working directory ${path} is not absolute`, {
      field: "cwd",
    });
  }
  return resolve(single);
}

/** True when the path is a root or below one, by path segments; no roots means everywhere. */
export function isInsideRoots(path: string, roots: readonly string[]): boolean {
  if (roots.length === 0) return true;
  return roots.some((root) => {
    const rest = relative(root, path);
    return rest !== ".." && !rest.startsWith("../") && !isAbsolute(rest);
  });
}

async function usableDirectory(path: string, roots: readonly string[]): Promise<string> {
  const normal = normalizeDirectory(path);
  const real = await reach(normal, () => realpath(normal));
  // Whether a forbidden place holds a file or a directory is not the caller's to learn.
  if (!isInsideRoots(real, roots)) throw forbiddenError(normal, roots);
  if (!(await reach(normal, () => stat(real))).isDirectory()) {
    throw new NacreError("cwd_not_directory", `${normal} is not a directory`, { field: "cwd" });
  }
  return real;
}

async function reach<Result>(path: string, look: () => Promise<Result>): Promise<Result> {
  try {
    return await look();
  } catch (cause) {
    const message = `${path} does not exist or cannot be reached`;
    throw new NacreError("cwd_not_found", message, { field: "cwd", cause });
  }
}

async function defaultDirectory(home: string, roots: readonly string[]): Promise<string> {
  const real = await realpath(home).catch(() => undefined);
  if (real !== undefined && isInsideRoots(real, roots)) return real;
  return usableDirectory(roots[0] ?? "/", roots);
}

async function realRoots(roots: readonly string[]): Promise<readonly string[]> {
  return Promise.all(roots.map((root) => realpath(root).catch(() => resolve(root))));
}

function forbiddenError(path: string, roots: readonly string[]): NacreError {
  const message = `${path} is not inside ${roots.join(" or ")}`;
  return new NacreError("cwd_forbidden", message, { field: "cwd" });
}

/** A directory that was inside the roots, until the program was started in it. */
export const movedAwayError = (path: string): NacreError =>
  new NacreError("cwd_forbidden", `${path} was moved out of the allowed roots`, { field: "cwd" });

/** A directory held open, so that a program started in it cannot be led elsewhere by a swapped link. */
export class OpenDirectory implements Disposable {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens a directory that is not a link and lies inside the roots. */
  static open(path: string, roots: readonly string[]): OpenDirectory {
    let fd: number;
    try {
      fd = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (cause) {
      const gone = `${path} is no longer a directory`;
      throw (
        toExhaustionError(`cannot enter ${path}`, cause) ??
        new NacreError("cwd_not_found", gone, { field: "cwd", cause })
      );
    }
    const directory = new OpenDirectory(fd);
    if (directory.isInside(roots)) return directory;
    directory[Symbol.dispose]();
    throw forbiddenError(path, roots);
  }

  /** A path that a forked child can change to and that names this very directory. */
  get childPath(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  /** True while the directory exists and its real place is inside the roots. */
  isInside(roots: readonly string[]): boolean {
    return (
      fstatSync(this.#fd).nlink > 0 &&
      isInsideRoots(readlinkSync(`/proc/self/fd/${this.#fd}`), roots)
    );
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
