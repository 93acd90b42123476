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

/** More than this takes too long to draw again. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The same where nothing waits, so that time is there for a checkpoint. */
const EASY_BYTES = 512 * 1024;

/** The same for many small changes. */
const MAX_CHANGES = 4096;

/** What a clear does. */
const CLEAR = new TextEncoder().encode("\u001b[H\u001b[2J\u001b[3J");

/** Where a drawing began. */
interface Checkpoint {
  readonly size: Size;
  /** Nothing means an empty screen. */
  readonly bytes: Uint8Array | undefined;
}

/** The last checkpoint of a drawing and what was drawn since, so that it can be drawn again. */
class ReplayLog {
  readonly #scrollback: number;
  #checkpoint: Checkpoint;
  #changes: ScreenChange[] = [];
  #bytes = 0;

  constructor(checkpoint: Checkpoint, scrollback: number) {
    this.#checkpoint = checkpoint;
    this.#scrollback = scrollback;
  }

  /** Begins anew from here. */
  reset(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#changes = [];
    this.#bytes = 0;
  }

  add(change: ScreenChange): void {
    this.#changes.push(change);
    this.#bytes += outputByteLength(change);
  }

  /** Whether so much was drawn that it is time for a checkpoint. */
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

  /** Draws everything since the checkpoint. */
  replay(emulator: Emulator): void {
    for (const change of this.#changes) applyChange(emulator, change);
  }
}

/** Applies a change at once. */
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
  /** Slices to leave out. */
  readonly skips: readonly SlicePosition[];
  readonly reply?: ((place: ReplyPosition, text: string) => void) | undefined;
  readonly prepare?: EmulatorHooks["prepare"];
  /** Told before everything since the last checkpoint is drawn again. */
  readonly handleRecovery?: () => void;
}

/** A Screen in the making: applies changes slice by slice, and survives output that makes its emulator fail. */
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
  /** Whether all of what was drawn is there, and not left out because of what follows. */
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

  /** What is drawn at the moment, or would be drawn next. */
  get position(): SlicePosition {
    return { sequence: this.#change?.sequence ?? this.#sequence, offset: this.#offset };
  }

  /** Whether it can pause: what else there is to draw is done at once, however large the screen. */
  get isPausable(): boolean {
    return this.#change?.kind === "output";
  }

  /** How many lines it can show, with those that have scrolled out. */
  get lines(): number {
    return this.#emulator.lines;
  }

  /** Begins a change, behind which so many plain lines follow; `step` does the work. */
  begin(change: ScreenChange, followed = 0): void {
    // For a checkpoint everything has to be there.
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

  /** Draws one slice of the change, or a part of it until the deadline; true when the change is done. */
  step(deadline: number): boolean {
    const change = this.#change;
    if (!change) return true;
    try {
      if (change.kind !== "output") this.#applyAtOnce(change);
      else if (!this.#stepOutput(change, deadline)) return false;
    } catch {
      // Whatever the emulator stumbled over is left out; the rest goes on.
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

  /** Whether so much was drawn since the last one that it is time for a checkpoint. */
  isCheckpointDue(isQuiet: boolean): boolean {
    return this.#isWhole && this.#log.isDue(isQuiet);
  }

  /** Writes the screen down, and goes on from there after a failure. */
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

  /** Leaves bytes out; a sequence that was open before them ends there. */
  #cut(cut: ByteRange): void {
    this.#cuts.push(cut);
    this.#emulator.writeAll(Uint8Array.of(CANCEL));
  }

  /** Draws everything since the checkpoint again, up to the slice that failed, and that one without what fails. */
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

  /** Where nothing else works, an empty screen of the right size goes on behind the change. */
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

  /** Writes the present slice, leaving out exactly the sequences that fail. */
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

  /** Does something that answers nothing, because it was answered before or will be. */
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

/** Writes byte by byte until it fails; the emulator is of no use after that. */
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
