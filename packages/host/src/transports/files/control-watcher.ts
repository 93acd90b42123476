import { type FSWatcher, watch } from "node:fs";
import { isEmptyFile, writtenAtOf } from "./control-file.ts";
import {
  CONTROL_NAMES,
  controlFileName,
  type ControlName,
  ERASED_NAMES,
} from "./control-file-request.ts";
import type { ControlLimits } from "./control-limits.ts";
import type { DirectoryHandle } from "./directory-handle.ts";
import { type Commit, CommitDetector } from "./commit-detector.ts";

/** Minimum distance of rounds, for writers without pause. */
const MIN_ROUND_MS = 5;

const FILE_NAMES: ReadonlySet<string> = new Set(CONTROL_NAMES.map(controlFileName));

export interface ControlWatcherOptions {
  readonly limits: Pick<ControlLimits, "stableMs" | "incompleteMs" | "pollMs">;
  /** Undefined while it may not be served. */
  readonly directory: () => Promise<DirectoryHandle | undefined>;
  /** How many requests may be taken now. */
  readonly room: () => number;
  /** In the order in which they were found. */
  readonly handleCommit: (name: ControlName, commit: Commit, stamp: string) => void;
  /** Only its times changed. */
  readonly handleTouched: (name: ControlName, stamp: string) => void;
  readonly handleProblem: (error: unknown) => void;
}

/** Watches the control files by inotify, and polls, since some changes are not reported. */
export class ControlWatcher implements AsyncDisposable {
  readonly #options: ControlWatcherOptions;
  readonly #files: ReadonlyMap<ControlName, CommitDetector>;
  #directory: DirectoryHandle | undefined;
  #watcher: FSWatcher | undefined;
  #isClosed = false;
  #problem: string | undefined;
  #isWoken = false;
  #wake: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ControlWatcherOptions) {
    this.#options = options;
    this.#files = new Map(CONTROL_NAMES.map((name) => [name, new CommitDetector(options.limits)]));
  }

  get taken(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#files].flatMap(([name, { taken }]) => (taken === undefined ? [] : [[name, taken]])),
    );
  }

  start(): void {
    this.#running = this.#run();
  }

  /** For another directory: files with these stamps count as taken; a file without one counts as taken as it is. */
  async reset(
    directory: DirectoryHandle,
    taken: Readonly<Partial<Record<ControlName, string>>>,
  ): Promise<void> {
    for (const [name, file] of this.#files) {
      const path = directory.pathOf(controlFileName(name));
      // A file emptied when the service ended is not a request.
      const isErased = ERASED_NAMES.has(name) && (await isEmptyFile(path));
      await file.reset(path, isErased ? undefined : taken[name]);
    }
  }

  /** Returns the new stamp. */
  async erase(
    directory: DirectoryHandle,
    name: ControlName,
    stamp: string,
  ): Promise<string | undefined> {
    return await this.#files.get(name)?.erase(directory.pathOf(controlFileName(name)), stamp);
  }

  /** Looks at all files now. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake?.();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false;
      const startedMs = performance.now();
      try {
        await this.#round(startedMs);
        this.#problem = undefined;
      } catch (error) {
        // A problem of every round is reported once.
        if (String(error) !== this.#problem) this.#options.handleProblem(error);
        this.#problem = String(error);
      }
      await this.#pause(startedMs);
    }
  }

  async #round(nowMs: number): Promise<void> {
    const directory = await this.#options.directory();
    if (directory !== this.#directory || !this.#watcher) this.#follow(directory);
    if (!directory) return;
    const found: { name: ControlName; commit: Commit; stamp: string }[] = [];
    for (const [name, file] of this.#files) {
      const hasRoom = !this.#isClosed && found.length < this.#options.room();
      const path = directory.pathOf(controlFileName(name));
      const before = file.taken;
      const commit = await file.poll({ path, nowMs, hasRoom });
      if (!commit && file.taken !== undefined && file.taken !== before) {
        this.#options.handleTouched(name, file.taken);
      }
      if (commit) found.push({ name, commit, stamp: file.taken ?? "" });
    }
    // Files are taken in the order in which they were written.
    const inOrder = found.toSorted((a, b) => Number(writtenAtOf(a.stamp) - writtenAtOf(b.stamp)));
    for (const { name, commit, stamp } of inOrder) this.#options.handleCommit(name, commit, stamp);
  }

  #follow(directory: DirectoryHandle | undefined): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#directory = directory;
    if (!directory) return;
    try {
      const watcher = watch(directory.own, (_event, name) => {
        // Drafts beside the file do not count; without a name it may be anything.
        if (name === null || FILE_NAMES.has(name)) this.wake();
      });
      // Polling remains.
      watcher.on("error", () => watcher.close());
      this.#watcher = watcher;
    } catch {
      // ENOSPC: no inotify watch left; polling remains.
    }
  }

  async #pause(startedMs: number): Promise<void> {
    const dueMs = Math.min(...[...this.#files.values()].map(({ dueAtMs }) => dueAtMs));
    const untilMs = Math.min(dueMs, startedMs + this.#options.limits.pollMs);
    const least = startedMs + MIN_ROUND_MS - performance.now();
    if (least > 0) await this.#sleep(least, false);
    const rest = untilMs - performance.now();
    if (rest > 0 && !this.#isWoken) await this.#sleep(rest, true);
  }

  async #sleep(ms: number, canWake: boolean): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.ceil(ms));
    if (canWake) this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
