import type { MessagePort } from "node:worker_threads";
import { encodeError, type ErrorJson, NacreError } from "@nacre/contracts";
import type { Store } from "../store/store.ts";
import { isDiskFull, isDiskProblem } from "./store-errors.ts";
import { DeferredWrites, type GroupWrite, toGap } from "./deferred-writes.ts";
import { tryCheckpoint, WalCheckpointer } from "./wal-checkpointer.ts";
import { RecordingWriter, ReplayDedup, type WrittenGroup } from "./recording-writer.ts";
import { buffersOf } from "../base/worker.ts";
import {
  describeShortage,
  type DiskSpace,
  type RecorderReport,
  type RecorderState,
  toFailedWrite,
  type Write,
  type WriteResults,
} from "./write.ts";

export type RecorderRequest =
  | { readonly kind: "writes"; readonly writes: readonly Write[] }
  | { readonly kind: "close" };

/** First `ready` or `refused`, last `closed`. */
export type RecorderMessage =
  | RecorderReport
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly problem: ErrorJson }
  | { readonly kind: "closed" };

interface RecorderServiceOptions extends Omit<RecorderOptions, "report"> {
  /** Works on the same files and ends before the store is closed. */
  readonly helper?: AsyncDisposable;
}

export function serveRecorder(port: MessagePort, options: RecorderServiceOptions): void {
  const post = (message: RecorderMessage): void => port.postMessage(message, transferOf(message));
  try {
    const recorder = new Recorder({ ...options, report: post });
    const close = async (): Promise<void> => {
      await options.helper?.[Symbol.asyncDispose]();
      recorder[Symbol.dispose]();
      post({ kind: "closed" });
      port.close();
    };
    port.on("message", (request: RecorderRequest) => {
      if (request.kind === "writes") recorder.push(request.writes);
      else void close();
    });
    post({ kind: "ready" });
    // A disk that is full from the start is told before somebody finds it so.
    recorder.checkSpace();
  } catch (error) {
    const code = isDiskFull(error) ? "recording_blocked" : "unavailable";
    const problem =
      error instanceof NacreError ? error : new NacreError(code, describeError(error));
    post({ kind: "refused", problem: encodeError(problem) });
    port.close();
  }
}

const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Written bytes go back to their sender. */
function transferOf(message: RecorderMessage): ReturnType<typeof buffersOf> {
  if (message.kind !== "settled") return [];
  return buffersOf([...message.done, ...message.failed].map(({ data }) => data));
}

/** Small enough for latency, large enough that a commit is cheap per entry. */
const MAX_GROUP_WRITES = 512;
const MAX_GROUP_BYTES = 512 * 1024;

/** Interval of retries: short for the waiting terminals, long enough for a broken disk. */
const RETRY_MS = 250;

/** At 500 MB/s this is less than the reserve. */
const FLOOR_CHECK_MS = 100;

/** Reserve that keeps removing recordings and ending terminals possible. */
const DISK_FLOOR_BYTES = 64 * 1024 * 1024;

/** Free space is also reported while nothing is written: others fill the disk, too. */
const SPACE_MS = 5000;

/** Smallest change of free space that is reported. */
const REPORTED_SPACE_STEP_BYTES = 1024 * 1024;

/** Of a full disk people want to see each bit that they free. */
const SHORTAGE_STEP_BYTES = 32 * 1024;

type StoreProblem = "diskFull" | "storeFailed";

export interface RecorderOptions {
  /** Opened anew after a failure: after a failed fsync the same descriptor must not be trusted again. */
  open(): Store;
  freeBytes(): number;
  readonly floorBytes?: number;
  /**
   * Checkpoints the WAL in another thread; resolves to what is wrong with the files, rejects when that thread is gone.
   */
  readonly checkpoint?: () => Promise<string | undefined>;
  report(report: RecorderReport): void;
  /** Unix ms. */
  now?(): number;
}

/** The only writer of a store: groups the writes of all terminals, commits them, and reports afterwards. */
export class Recorder implements Disposable {
  readonly #options: RecorderOptions;
  readonly #floorBytes: number;
  readonly #deferred: DeferredWrites;
  readonly #checkpointer: WalCheckpointer | undefined;
  readonly #replayDedup = new ReplayDedup();
  #writer: RecordingWriter | undefined;
  #queue: Write[] = [];
  #isScheduled = false;
  #state: RecorderState = { state: "ok" };
  /** A group whose commit failed, until reopening the store shows whether it is there. */
  #inDoubt: WrittenGroup | undefined;
  #retry: NodeJS.Timeout | undefined;
  #checkedFloorAt = Number.NEGATIVE_INFINITY;
  readonly #spaceTimer: NodeJS.Timeout;
  #reportedFreeBytes = Number.NaN;

  /** Throws when the store cannot be opened. */
  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#floorBytes = options.floorBytes ?? DISK_FLOOR_BYTES;
    this.#deferred = new DeferredWrites((failed) => this.#settle({ failed: [failed] }));
    const { checkpoint } = options;
    const checkpointRest = (): void => this.#writer?.checkpointWal();
    const handleProblem = (message: string): void => this.#reopen(message);
    this.#checkpointer =
      checkpoint && new WalCheckpointer({ checkpoint, checkpointRest, handleProblem });
    this.#writer = new RecordingWriter(options.open(), this.#replayDedup);
    this.#spaceTimer = setInterval(() => this.checkSpace(), SPACE_MS).unref();
    this.#tryMeasure();
  }

  /** Looks how much is free, also when nothing is to be written: a full disk is told as such at once. */
  checkSpace(): void {
    const free = this.#tryMeasure();
    if (free === undefined || free >= this.#floorBytes) return;
    const wasOk = this.#state.state === "ok";
    this.#degrade("diskFull", describeShortage(this.#spaceOf(free)));
    // While there is room: then removals can reuse the WAL, should others fill the disk.
    if (wasOk) tryCheckpoint(() => this.#writer?.checkpointWal());
  }

  /** Each write is reported once, as done or as failed. */
  push(writes: readonly Write[]): void {
    for (const write of writes) this.#queue.push(write);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Everything that arrives before the next loop iteration joins the same group.
    setImmediate(() => {
      this.#isScheduled = false;
      this.commit();
    });
  }

  commit(): void {
    while (this.#queue.length > 0) {
      const group = this.#takeGroup();
      if (this.#state.state === "degraded") this.#deferAll(group, this.#state.reason);
      else this.#tryGroup(group);
    }
  }

  [Symbol.dispose](): void {
    this.commit();
    if (this.#state.state === "degraded") this.#recover();
    clearTimeout(this.#retry);
    clearInterval(this.#spaceTimer);
    this.#deferred.rejectAll();
    this.#writer?.[Symbol.dispose]();
  }

  #takeGroup(): Write[] {
    const [first] = this.#queue;
    if (first && standsAlone(first)) return this.#queue.splice(0, 1);
    let bytes = 0;
    const end = this.#queue.findIndex((write, index) => {
      if (standsAlone(write) || index >= MAX_GROUP_WRITES || bytes >= MAX_GROUP_BYTES) return true;
      bytes += dataBytesOf(write);
      return false;
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  #tryGroup(group: readonly Write[]): void {
    const shortage = this.#findShortage();
    const [first] = group;
    if (shortage !== undefined && first?.kind === "snapshot") return this.#refuse(first, shortage);
    if (shortage === undefined) {
      this.#write(group);
      return;
    }
    if (group.every(isRemoval)) return group.forEach((write) => this.#remove(write));
    this.#degrade("diskFull", shortage);
    // Checkpoint while there is room: then removals can reuse the WAL, should others fill the disk.
    tryCheckpoint(() => this.#writer?.checkpointWal());
    this.#deferAll(group, "diskFull");
  }

  #findShortage(): string | undefined {
    const now = performance.now();
    if (now - this.#checkedFloorAt < FLOOR_CHECK_MS) return undefined;
    this.#checkedFloorAt = now;
    const free = this.#measure();
    if (free >= this.#floorBytes) return undefined;
    this.#checkedFloorAt = Number.NEGATIVE_INFINITY;
    return describeShortage(this.#spaceOf(free));
  }

  #spaceOf(freeBytes: number): DiskSpace {
    return { freeBytes, reserveBytes: this.#floorBytes };
  }

  #tryMeasure(): number | undefined {
    try {
      return this.#measure();
    } catch {
      // A disk that cannot be asked fails the next write as well, which says why.
      return undefined;
    }
  }

  /** Reported when it has changed. */
  #measure(): number {
    const freeBytes = this.#options.freeBytes() + (this.#writer?.reusableBytes() ?? 0);
    const isTold =
      freeBytes === this.#reportedFreeBytes ||
      Math.abs(freeBytes - this.#reportedFreeBytes) < reportedStep(freeBytes, this.#floorBytes);
    if (isTold) return freeBytes;
    this.#reportedFreeBytes = freeBytes;
    this.#options.report({ kind: "space", space: this.#spaceOf(freeBytes) });
    return freeBytes;
  }

  /** False when the store cannot be written. */
  #write(group: readonly GroupWrite[]): boolean {
    const [first] = group;
    if (!this.#writer || !first) return false;
    if (first.kind === "scrub") {
      const failed = this.#writer.scrub(first);
      const done = { ticket: first.ticket, count: 0, elapsedMs: 0, data: null };
      this.#settle(failed ? { failed: [failed] } : { done: [done] });
      return true;
    }
    const written = this.#writer.write(group);
    if (written.error === undefined) {
      // Counted first: the report returns the bytes to their sender.
      this.#checkpointer?.noteCommit(group);
      this.#settle(written);
      return true;
    }
    if (!isDiskProblem(written.error)) return this.#writeOneByOne(group, written.error);
    if (first.kind === "snapshot") return this.#dropSnapshot(first, written.error);
    if (isDiskFull(written.error) && group.every(isRemoval)) return this.#refuseRemovals(group);
    this.#degrade(isDiskFull(written.error) ? "diskFull" : "storeFailed", messageOf(written.error));
    // Only reopened files tell whether a failed commit is there.
    this.#closeStore();
    this.#inDoubt = written;
    if (!this.#resolveInDoubt()) {
      const told = this.#deferred.dropOutput(group);
      const done = written.done.filter(({ ticket }) => !told.has(ticket));
      this.#inDoubt = { ...written, done };
    }
    return false;
  }

  /** A snapshot is dispensable: no room for it must not cost output. False when the store cannot be written. */
  #dropSnapshot(write: Write, error: unknown): boolean {
    this.#refuse(write, messageOf(error));
    if (isDiskFull(error)) return true;
    this.#degrade("storeFailed", messageOf(error));
    // Whether it is there does not matter, but the files must be reopened before they are trusted again.
    this.#closeStore();
    this.#openStore();
    return false;
  }

  /**
   * Removing frees space, so it continues below the reserve; the WAL is checkpointed first, so that it is reused
   * instead of growing.
   */
  #remove(write: GroupWrite): void {
    tryCheckpoint(() => this.#writer?.checkpointWal());
    this.#write([write]);
    if (write.kind !== "delete") return;
    // Deferred writes must not bring back a removed terminal; of one that stays nothing may be missing, least of all
    // its header.
    if (this.#writer?.hasTerminal(write.terminalId) === false)
      this.#deferred.drop(write.terminalId);
  }

  /** Removing writes to the WAL, which had no room; there may be room for fewer entries at once. */
  #refuseRemovals(group: readonly GroupWrite[]): boolean {
    const message = "the disk has no room to remove so much at once";
    for (const write of group) if (write.kind !== "gap") this.#refuse(write, message);
    return true;
  }

  /** One write fails, and not because of the disk: the others must not suffer from it. */
  #writeOneByOne(group: readonly GroupWrite[], error: unknown): boolean {
    const [only] = group;
    if (only && group.length === 1) {
      const message = `this cannot be recorded: ${messageOf(error)}`;
      if (only.kind === "gap") return true;
      const gap = toGap(only, "storeFailed");
      this.#settle({ failed: [toFailedWrite(only, new NacreError("internal", message))] });
      return gap ? this.#write([gap]) : true;
    }
    for (const [index, write] of group.entries()) {
      if (this.#write([write])) continue;
      this.#deferAll(group.slice(index + 1), this.#reason());
      return false;
    }
    return true;
  }

  #settle({ done = [], failed = [], gaps = [] }: Partial<WriteResults>): void {
    if (done.length + failed.length + gaps.length === 0) return;
    this.#options.report({ kind: "settled", done, failed, gaps });
  }

  #degrade(reason: StoreProblem, message: string): void {
    if (this.#state.state === "ok") {
      const since = this.#options.now?.() ?? Date.now();
      this.#state = { state: "degraded", reason, message, since };
      this.#options.report({ kind: "state", state: this.#state });
    }
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#recover();
    }, RETRY_MS);
  }

  #deferAll(group: readonly GroupWrite[], reason: StoreProblem): void {
    for (const write of group) {
      if (write.kind === "gap" || !isRemoval(write)) this.#deferred.add(write, reason);
      else if (this.#writer) this.#remove(write);
      else this.#refuse(write, "the store cannot be opened");
    }
  }

  /** Removals and snapshots are not deferred. */
  #refuse(write: Write, message: string): void {
    this.#settle({ failed: [toFailedWrite(write, new NacreError("recording_blocked", message))] });
  }

  #reason(): StoreProblem {
    return this.#state.state === "degraded" ? this.#state.reason : "storeFailed";
  }

  /** False when it is still unknown. */
  #resolveInDoubt(): boolean {
    const doubtful = this.#inDoubt;
    if (!doubtful) return true;
    if (!this.#openStore()) return false;
    this.#inDoubt = undefined;
    if (this.#writer?.isCommitted(doubtful)) this.#settle(doubtful);
    else this.#deferred.unshift(doubtful.group, this.#reason());
    return true;
  }

  #recover(): void {
    if (this.#state.state === "ok") return;
    const { reason, message } = this.#state;
    this.#checkedFloorAt = Number.NEGATIVE_INFINITY;
    const canWrite =
      this.#openStore() && this.#resolveInDoubt() && this.#findShortage() === undefined;
    // There may be room inside the store only: a WAL that cannot grow has to restart.
    if (canWrite && reason === "diskFull") tryCheckpoint(() => this.#writer?.checkpointWal());
    if (!canWrite || !this.#writeDeferred()) {
      this.#degrade(reason, message);
      return;
    }
    this.#state = { state: "ok" };
    this.#options.report({ kind: "state", state: this.#state });
    this.commit();
  }

  /**
   * What was not checkpointed is still in the WAL, so nothing is lost; but the files must be reopened before they are
   * trusted again.
   */
  #reopen(message: string): void {
    if (this.#state.state === "degraded") return;
    this.#degrade("storeFailed", message);
    this.#closeStore();
    this.#recover();
  }

  #writeDeferred(): boolean {
    for (;;) {
      const group = this.#deferred.take(MAX_GROUP_WRITES);
      if (group.length === 0) return true;
      if (!this.#write(group)) return false;
    }
  }

  #openStore(): boolean {
    if (this.#writer) return true;
    try {
      this.#writer = new RecordingWriter(this.#options.open(), this.#replayDedup);
      return true;
    } catch {
      // The state is already degraded, and a retry is scheduled.
      return false;
    }
  }

  #closeStore(): void {
    try {
      this.#writer?.[Symbol.dispose]();
    } catch {
      // A store that failed may fail to close, too; it is given up either way.
    }
    this.#writer = undefined;
  }
}

const dataBytesOf = (write: Write): number =>
  write.kind === "entry" ? (write.data?.byteLength ?? 0) : 0;

/** Outside a transaction, or must not take others with it. */
const standsAlone = ({ kind }: Write): boolean => kind === "scrub" || kind === "snapshot";

const isRemoval = ({ kind }: GroupWrite): boolean =>
  kind === "delete" || kind === "trim" || kind === "trimAudit" || kind === "scrub";

const reportedStep = (freeBytes: number, floorBytes: number): number =>
  freeBytes < floorBytes ? SHORTAGE_STEP_BYTES : REPORTED_SPACE_STEP_BYTES;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : "the store failed";
