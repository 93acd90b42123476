import type { CommandQuality } from "@nacre/contracts";
import type { CommandFact } from "./command-fact.ts";

/** Linux refuses longer paths. */
const MAX_PATH_LENGTH = 4096;

/** A path as the recording takes it: absolute on any system, and without what would end it early. */
const isRecordable = (path: string): boolean =>
  path.length <= MAX_PATH_LENGTH &&
  /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) &&
  !path.includes("\0") &&
  path.isWellFormed();

/** Follows the working directory of a shell; what anyone could print counts only while the shell itself says nothing. */
export class CwdTracker {
  #path: string | undefined;
  #isVerified = false;

  get path(): string | undefined {
    return this.#path;
  }

  /** The directory to name with a command of this quality, so that nothing forged passes for exact. */
  pathFor(quality: CommandQuality): string | undefined {
    return this.#isVerified || quality !== "exact" ? this.#path : undefined;
  }

  /** Takes a directory that was named; returns what to record, which is nothing where nothing changed. */
  change(path: string, quality: "exact" | "marker"): readonly CommandFact[] {
    if (!isRecordable(path)) return [];
    const isVerified = quality === "exact";
    if (!isVerified && this.#isVerified) return [];
    const isNew = path !== this.#path || isVerified !== this.#isVerified;
    this.#path = path;
    this.#isVerified = isVerified;
    return isNew ? [{ type: "cwd", cwd: path, quality }] : [];
  }

  /** The shell that named directories is gone; the last one stays until another is named. */
  distrust(): void {
    this.#isVerified = false;
  }
}
