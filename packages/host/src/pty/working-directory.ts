import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { NacreError } from "@nacre/contracts/plain";
import { toExhaustionError } from "./resource-exhaustion.ts";

/** O_PATH: needs no read permission. */
const O_PATH = 0o10000000;

export interface WorkingDirectoryPolicy {
  readonly home: string;
  /** Empty: anywhere. */
  readonly allowedRoots: readonly string[];
  /** `home`: falls back to the home directory and reports it. */
  readonly fallback?: "home";
}

export interface WorkingDirectory {
  readonly path: string;
  /** Resolved. */
  readonly allowedRoots: readonly string[];
  /** Why the home directory is used instead. */
  readonly fallbackReason?: NacreError;
}

/** Exists, is a directory, and lies inside the roots after resolving links; throws otherwise. */
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
      // The caller asked for that directory, and for the fallback, but not for home.
      throw new NacreError(error.code, `${error.message}, and home is outside the allowed roots`, {
        field: "cwd",
        suggestion: "Name a directory inside an allowed root.",
        cause: error,
      });
    });
    return { path, allowedRoots, fallbackReason: error };
  }
}

/** `//x` becomes `/x`, a WSL share keeps its two slashes; refuses a relative path. */
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

/** By path segments; no roots means everywhere. */
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
  // Callers must not learn whether a forbidden path exists.
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

/** It left the roots while the program was started. */
export const movedAwayError = (path: string): NacreError =>
  new NacreError("cwd_forbidden", `${path} was moved out of the allowed roots`, { field: "cwd" });

/** Held open, so that a swapped symlink cannot lead the program elsewhere. */
export class OpenDirectory implements Disposable {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** O_NOFOLLOW, and inside the roots. */
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

  /** A path for the child's chdir that names this very directory. */
  get childPath(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  /** Exists, and its real path is inside the roots. */
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
