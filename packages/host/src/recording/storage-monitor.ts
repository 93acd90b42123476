import type { RecordingBlocked, StorageInfo } from "@nacre/contracts";
import { describeShortage, type DiskSpace, type RecorderState } from "./write.ts";

/** A warning is due at this many times the reserve: 1 GiB by default, which a flood fills in a minute or two. */
const LOW_FACTOR = 16;

/** Hysteresis. */
const WELL_AGAIN_FACTOR = 1.1;

const MAKE_ROOM =
  "Make room on the disk, or remove recordings with `nacre rm` or `nacre prune`; programs go on by themselves then.";

const REPAIR = "Look at what the reason names; programs go on by themselves once it is mended.";

const FREE_SOME =
  "Free some, or remove recordings with `nacre rm` or `nacre prune`, before programs have to wait.";

/** What is known of the recordings' disk; every wire reports it. */
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

  /** For a terminal that waits. */
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

  /** Called when the recorder's state changed, until the result is disposed of. */
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
