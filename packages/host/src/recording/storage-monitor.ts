import type { RecordingBlocked, StorageInfo } from "@nacre/contracts";
import { describeShortage, type DiskSpace, type RecorderState } from "./write.ts";

/** With less than so many times the reserve free, people are told before recordings have to wait: 1 GiB by default, which a flood fills in a minute or two. */
const LOW_FACTOR = 16;

/** Space that comes and goes around that is not told each time. */
const WELL_AGAIN_FACTOR = 1.1;

const MAKE_ROOM =
  "Make room on the disk, or remove recordings with `nacre rm` or `nacre prune`; programs go on by themselves then.";

const REPAIR = "Look at what the reason names; programs go on by themselves once it is mended.";

const FREE_SOME =
  "Free some, or remove recordings with `nacre rm` or `nacre prune`, before programs have to wait.";

/** What is known of the disk of the recordings: the one fact that every wire tells. */
export class StorageMonitor {
  readonly #handleChange: (info: StorageInfo) => void;
  #recorder: RecorderState = { state: "ok" };
  #space: DiskSpace | undefined;
  /** Unix ms. */
  #lowSince: number | undefined;
  #reportedState = "ok";
  readonly #listeners = new Set<() => void>();

  constructor(handleChange: (info: StorageInfo) => void) {
    this.#handleChange = handleChange;
  }

  /** Whether recordings can be written now. */
  get recorder(): RecorderState {
    return this.#recorder;
  }

  get info(): StorageInfo {
    const measured = this.#measured;
    const recorder = this.#recorder;
    if (recorder.state === "degraded") {
      const isFull = recorder.reason === "diskFull";
      return {
        state: isFull ? "full" : "failing",
        since: timestampOf(recorder.since),
        reason: this.#reasonNow(recorder.message, isFull),
        suggestion: isFull ? MAKE_ROOM : REPAIR,
        ...measured,
        ...(isFull && this.#space ? { neededBytes: neededOf(this.#space) } : {}),
      };
    }
    if (this.#lowSince === undefined) return { state: "ok", ...measured };
    return {
      state: "low",
      since: timestampOf(this.#lowSince),
      reason: "little space is left on the disk of the recordings",
      suggestion: FREE_SOME,
      ...measured,
    };
  }

  /** Why nothing can be recorded, for a terminal that waits for it. */
  get blocked(): RecordingBlocked | undefined {
    const { recorder } = this;
    if (recorder.state === "ok") return undefined;
    const { reason, since } = recorder;
    const { reason: why = "", suggestion = "" } = this.info;
    return {
      reason,
      message: `nothing can be recorded or shown: ${why}`,
      suggestion,
      since: timestampOf(since),
    };
  }

  handleState(state: RecorderState): void {
    this.#recorder = state;
    this.#reportChange();
    for (const listener of this.#listeners) listener();
  }

  /** Calls back whenever it changed whether recordings can be written, until what is returned is disposed of. */
  onState(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  handleSpace(space: DiskSpace): void {
    this.#space = space;
    const { freeBytes, reserveBytes } = space;
    const factor = LOW_FACTOR * (this.#lowSince === undefined ? 1 : WELL_AGAIN_FACTOR);
    if (freeBytes >= factor * reserveBytes) this.#lowSince = undefined;
    else this.#lowSince ??= Date.now();
    this.#reportChange();
  }

  /** The figure of a shortage is the newest one, not the one that it began with. */
  #reasonNow(message: string, isFull: boolean): string {
    const space = this.#space;
    return isFull && space && neededOf(space) > 0 ? describeShortage(space) : message;
  }

  get #measured(): Pick<StorageInfo, "freeBytes" | "reserveBytes"> {
    // A host in memory has no disk.
    return this.#space && Number.isFinite(this.#space.freeBytes) ? { ...this.#space } : {};
  }

  #reportChange(): void {
    const { info } = this;
    if (info.state === this.#reportedState) return;
    this.#reportedState = info.state;
    this.#handleChange(info);
  }
}

const neededOf = ({ freeBytes, reserveBytes }: DiskSpace): number =>
  Math.max(0, reserveBytes - freeBytes);

const timestampOf = (ms: number): string => new Date(ms).toISOString();
