import type { ScreenFormat, Size } from "@nacre/contracts";
import { Emulator, type EmulatorHooks } from "./emulator.ts";
import { renderScreen } from "./render-screen.ts";
import {
  outputByteLength,
  type SavedScreen,
  type ScreenChange,
  type ScreenPicture,
} from "./screen-change.ts";
import type { ReplyPosition, SlicePosition } from "./screen-protocol.ts";
import { type ByteRange, CANCEL, findSliceEnd, removeRanges } from "./find-slice-end.ts";

/** Replaying more after a failure takes too long. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The same while nothing waits, so that a checkpoint delays nobody. */
const EASY_BYTES = 512 * 1024;

/** The same for many small changes. */
const MAX_CHANGES = 4096;

/** Cursor home, erase screen, erase scrollback. */
const CLEAR = new TextEncoder().encode("\u001b[H\u001b[2J\u001b[3J");

interface Checkpoint {
  readonly size: Size;
  /** Undefined: an empty screen. */
  readonly bytes: Uint8Array | undefined;
}

/** The last checkpoint and the changes since, for replay. */
class ReplayLog {
  readonly #scrollback: number;
  #checkpoint: Checkpoint;
  #changes: ScreenChange[] = [];
  #bytes = 0;

  constructor(checkpoint: Checkpoint, scrollback: number) {
    this.#checkpoint = checkpoint;
    this.#scrollback = scrollback;
  }

  reset(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#changes = [];
    this.#bytes = 0;
  }

  add(change: ScreenChange): void {
    this.#changes.push(change);
    this.#bytes += outputByteLength(change);
  }

  isDue(isQuiet: boolean): boolean {
    if (this.#changes.length > MAX_CHANGES) return true;
    return this.#bytes > (isQuiet ? EASY_BYTES : MAX_BYTES);
  }

  /** An emulator at the checkpoint; throws when that is not a snapshot. */
  restore(hooks: EmulatorHooks): Emulator {
    const { size, bytes } = this.#checkpoint;
    if (bytes) return Emulator.load(bytes, hooks);
    return new Emulator({ size, scrollback: this.#scrollback, ...hooks });
  }

  replay(emulator: Emulator): void {
    for (const change of this.#changes) applyChange(emulator, change);
  }
}

export function applyChange(emulator: Emulator, change: ScreenChange): void {
  switch (change.kind) {
    case "resize":
      return emulator.resize(change.size);
    case "clear":
      return emulator.writeAll(CLEAR);
    case "output":
      return emulator.writeAll(change.bytes);
  }
}

export interface ScreenReplicaOptions {
  readonly size: Size;
  readonly scrollback: number;
  readonly saved: SavedScreen | undefined;
  readonly skips: readonly SlicePosition[];
  readonly reply?: ((place: ReplyPosition, text: string) => void) | undefined;
  readonly prepare?: EmulatorHooks["prepare"];
  /** Called before a replay. */
  readonly handleRecovery?: () => void;
}

/** Applies changes slice by slice, and survives output that makes its emulator throw. */
export class ScreenReplica implements Disposable {
  readonly #log: ReplayLog;
  readonly #hooks: EmulatorHooks;
  readonly #skips: ReadonlySet<string>;
  readonly #handleRecovery: (() => void) | undefined;
  #emulator: Emulator;
  #sequence: number;
  #change: ScreenChange | undefined;
  #offset = 0;
  #ordinal = 0;
  #cuts: ByteRange[] = [];
  /** False when `dropScrolledOut` left output out. */
  #isWhole = true;
  #isPaused = false;
  #isMuted = false;

  constructor(options: ScreenReplicaOptions) {
    const { size, scrollback, saved, skips, reply, prepare, handleRecovery } = options;
    this.#handleRecovery = handleRecovery;
    this.#skips = new Set(skips.map(sliceKey));
    this.#sequence = saved?.sequence ?? 0;
    const answer = (text: string): void => {
      const ordinal = this.#ordinal++;
      if (!this.#isMuted) reply?.({ ...this.position, ordinal }, text);
    };
    this.#hooks = { reply: reply && answer, prepare };
    this.#log = new ReplayLog({ size: saved?.size ?? size, bytes: saved?.bytes }, scrollback);
    this.#emulator = this.#log.restore(this.#hooks);
  }

  /** The slice being drawn, or the next one. */
  get position(): SlicePosition {
    return { sequence: this.#change?.sequence ?? this.#sequence, offset: this.#offset };
  }

  /** False: the current work is done in one go, however large the screen. */
  get isPausable(): boolean {
    return this.#change?.kind === "output";
  }

  /** Rows and scrollback. */
  get lines(): number {
    return this.#emulator.lines;
  }

  /** `followed` plain lines come after this change; `step` does the work. */
  begin(change: ScreenChange, followed = 0): void {
    // A checkpoint needs the complete output.
    const counted = this.#log.isDue(false) ? 0 : followed;
    this.#isWhole = counted === 0;
    this.#change =
      change.kind === "output"
        ? { ...change, bytes: this.#emulator.dropScrolledOut(change.bytes, counted) }
        : change;
    this.#offset = 0;
    this.#ordinal = 0;
    this.#cuts = [];
  }

  /** One slice, or part of it until the deadline; true when the change is done. */
  step(deadline: number): boolean {
    const change = this.#change;
    if (!change) return true;
    try {
      if (change.kind !== "output") this.#applyAtOnce(change);
      else if (!this.#stepOutput(change, deadline)) return false;
    } catch {
      // Skips what made the emulator throw and continues.
      this.#recover(change);
    }
    if (this.#offset < outputByteLength(change)) return false;
    this.#log.add(
      change.kind === "output"
        ? { ...change, bytes: removeRanges(change.bytes, this.#cuts) }
        : change,
    );
    this.#sequence = change.sequence;
    this.#change = undefined;
    return true;
  }

  isCheckpointDue(isQuiet: boolean): boolean {
    return this.#isWhole && this.#log.isDue(isQuiet);
  }

  /** A snapshot, which also becomes the new checkpoint. */
  save(): SavedScreen {
    const { size } = this.#emulator;
    const bytes = this.#emulator.save();
    this.#log.reset({ size, bytes });
    return { sequence: this.#sequence, size, bytes };
  }

  picture(format: ScreenFormat): ScreenPicture {
    return renderScreen(this.#emulator, { sequence: this.#sequence, format });
  }

  [Symbol.dispose](): void {
    this.#emulator[Symbol.dispose]();
  }

  #applyAtOnce(change: ScreenChange): void {
    if (this.#skips.has(sliceKey({ sequence: change.sequence, offset: 0 })))
      this.#startOver(change);
    else applyChange(this.#emulator, change);
  }

  /** False when it paused inside the slice. */
  #stepOutput({ sequence, bytes }: ScreenChange & { kind: "output" }, deadline: number): boolean {
    const end = findSliceEnd(bytes, this.#offset);
    if (!this.#isPaused && this.#skips.has(sliceKey({ sequence, offset: this.#offset }))) {
      this.#cut({ from: this.#offset, to: end });
    } else {
      this.#emulator.deadline = deadline;
      const isDone = this.#isPaused
        ? this.#emulator.resume()
        : this.#emulator.write(bytes.subarray(this.#offset, end));
      this.#isPaused = !isDone;
      if (!isDone) return false;
    }
    this.#moveTo(end);
    return true;
  }

  #moveTo(offset: number): void {
    this.#offset = offset;
    this.#ordinal = 0;
  }

  /** Skips bytes; a sequence that was open before them is cancelled. */
  #cut(cut: ByteRange): void {
    this.#cuts.push(cut);
    this.#emulator.writeAll(Uint8Array.of(CANCEL));
  }

  /** Replays from the checkpoint up to the failed slice, then that slice without the failing part. */
  #recover(change: ScreenChange): void {
    this.#handleRecovery?.();
    this.#isPaused = false;
    try {
      this.#redraw(change);
      if (change.kind === "output") this.#writeCarefully(change.bytes);
      else applyChange(this.#emulator, change);
    } catch {
      this.#startOver(change);
    }
  }

  /** The last resort: an empty screen of the right size after the change. */
  #startOver(change: ScreenChange): void {
    const size = change.kind === "resize" ? change.size : this.#emulator.size;
    this.#log.reset({ size, bytes: undefined });
    this.#renew(this.#log.restore(this.#hooks));
    this.#moveTo(outputByteLength(change));
  }

  #redraw(change: ScreenChange): void {
    this.#renew(this.#log.restore(this.#hooks));
    this.#muted(() => {
      this.#log.replay(this.#emulator);
      if (change.kind !== "output") return;
      this.#emulator.writeAll(removeRanges(change.bytes.subarray(0, this.#offset), this.#cuts));
    });
    this.#ordinal = 0;
  }

  /** Writes the slice without exactly the sequences that fail. */
  #writeCarefully(bytes: Uint8Array<ArrayBuffer>): void {
    const end = findSliceEnd(bytes, this.#offset);
    for (let from = this.#offset; from < end;) {
      const before = this.#emulator.save();
      const rest = bytes.subarray(from, end);
      const failing = this.#muted(() => findFailing(this.#emulator, rest));
      this.#renew(Emulator.load(before, this.#hooks));
      this.#emulator.writeAll(rest.subarray(0, failing?.from));
      if (failing) this.#cut({ from: from + failing.from, to: from + failing.to });
      from = failing ? from + failing.to : end;
    }
    this.#moveTo(end);
  }

  /** Suppresses replies: they were sent before or will be. */
  #muted<Result>(work: () => Result): Result {
    const ordinal = this.#ordinal;
    this.#isMuted = true;
    try {
      return work();
    } finally {
      this.#isMuted = false;
      this.#ordinal = ordinal;
    }
  }

  #renew(emulator: Emulator): void {
    this.#emulator[Symbol.dispose]();
    this.#emulator = emulator;
  }
}

/** Byte by byte until it throws; the emulator is unusable after that. */
function findFailing(emulator: Emulator, bytes: Uint8Array<ArrayBuffer>): ByteRange | undefined {
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (emulator.isAtRest) from = at;
    try {
      emulator.writeAll(bytes.subarray(at, at + 1));
    } catch {
      return { from, to: at + 1 };
    }
  }
  return undefined;
}

const sliceKey = ({ sequence, offset }: SlicePosition): string => `${sequence}@${offset}`;
