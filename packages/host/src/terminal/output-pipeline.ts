import { NacreError } from "@nacre/contracts";
import type { Chunk, Pty, PtyExit } from "../pty/pty.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { OutputParser, type OutputPiece } from "../shell/output-parser.ts";
import type { FishPreamble } from "../shell/fish-preamble.ts";
import type { Appender } from "./appender.ts";
import type { EchoGuard } from "./echo-guard.ts";
import { OutputRateWatch } from "./output-rate-watch.ts";
import type { PriorRun } from "./terminal-init.ts";

/** Output that was not recorded, from one offset to another. */
interface LostRange {
  readonly start: number;
  readonly end: number;
}

/** The output of one Terminal that was rejected, until a gap stands for it in the recording or it is found there. */
export class UnrecordedRanges {
  #lost: LostRange[] = [];
  /** What was handed over when a gap of unknown size was recorded: whatever is missing of it, that gap says so. */
  #coveredOffset = 0;

  get isEmpty(): boolean {
    return this.#lost.length === 0;
  }

  /** Where the first of it begins. */
  get firstOffset(): number {
    return this.#lost[0]?.start ?? Number.POSITIVE_INFINITY;
  }

  /** Output was rejected; with a recorder that ended, nobody knows whether it is there. */
  add({ start, end, isUnknown }: LostRange & { readonly isUnknown: boolean }): void {
    if (isUnknown && end <= this.#coveredOffset) return;
    const last = this.#lost.at(-1);
    if (last?.end === start) this.#lost.splice(-1, 1, { start: last.start, end });
    else this.#lost.push({ start, end });
  }

  /** A gap was recorded while so much was handed over; returns the end of what it stands for. */
  noteGap(lostBytes: number | null, handedOver: number): number | undefined {
    if (lostBytes === null) this.#coveredOffset = handedOver;
    let left = lostBytes ?? Number.POSITIVE_INFINITY;
    let covered: number | undefined;
    for (let first = this.#lost[0]; first && left > 0; first = this.#lost[0]) {
      covered = Math.min(first.end, first.start + left);
      left -= covered - first.start;
      if (covered === first.end) this.#lost.shift();
      else this.#lost[0] = { start: covered, end: first.end };
    }
    return covered;
  }

  /** Output is recorded; tells whether it was believed lost. */
  noteFound(start: number, end: number): boolean {
    const overlaps = (one: LostRange): boolean => one.start < end && start < one.end;
    if (!this.#lost.some(overlaps)) return false;
    this.#lost = this.#lost.flatMap((one) => {
      if (!overlaps(one)) return [one];
      const rest = [
        { start: one.start, end: start },
        { start: end, end: one.end },
      ];
      return rest.filter((part) => part.start < part.end);
    });
    return true;
  }
}

/** A sequence that a program began and did not end is shown as it is after this. */
const MAX_HELD_MS = 1000;

/** What a shell writes before a command comes soon after the marker, even on a busy machine, or it does not come. */
const MAX_PREAMBLE_MS = 500;

/** The rest of an echo is right behind its beginning; what only looks like one must not wait for long. */
const MAX_ECHO_MS = 50;

export interface OutputPipelineDeps {
  readonly pty: Pty;
  readonly parser: OutputParser;
  readonly appender: Appender;
  /** Masks the echo of secrets. */
  readonly echoGuard: EchoGuard;
  /** What another host has recorded. */
  readonly earlier?: Pick<PriorRun, "outputBytes" | "again"> | undefined;
  /** For a shell that writes something of its own before each command. */
  readonly preamble?: FishPreamble | undefined;
  /** Appends what a piece means, right behind it; resolves `recorded` when the piece itself is. */
  handlePiece(piece: OutputPiece, recorded: Promise<unknown>): void;
  /** Takes the bytes of an entry that everybody was told of, to be filled again when nobody looks at them any more. */
  recycle(sequence: number, bytes: Uint8Array<ArrayBuffer>): void;
  /** Output that could not be recorded; the recording itself says what is missing. */
  readonly handleLoss: (error: unknown) => void;
}

/** Brings the output of one PTY into its recording, byte for byte and in order; only the recording may slow it. */
export class OutputPipeline {
  readonly #deps: OutputPipelineDeps;
  readonly #lost = new UnrecordedRanges();
  readonly #reached = new Map<number, () => void>();
  /** Standard error, where it comes apart, is text of its own. */
  readonly #errorParser = new OutputParser();
  #offset: number;
  /** Up to here everything was handed to the recording, also where two texts come apart. */
  #wholeOffset: number;
  #hasTwoTexts: boolean;
  /** What is read once more of each text, though it is recorded. */
  readonly #again: { stdout: number; stderr: number };
  /** Up to here the Pty was read. */
  #readOffset: number;
  /** The end of what is committed, or counted as a gap. */
  #settledOffset: number;
  #heldTimer: NodeJS.Timeout | undefined;
  #heldSinceMs: number | undefined;
  #appended: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #isDetached = false;

  constructor(deps: OutputPipelineDeps) {
    this.#deps = deps;
    const { outputBytes = 0, again } = deps.earlier ?? {};
    this.#hasTwoTexts = again !== undefined;
    this.#again = { stdout: again?.stdout ?? 0, stderr: again?.stderr ?? 0 };
    this.#offset = outputBytes;
    this.#readOffset = outputBytes - this.#againBytes;
    this.#wholeOffset = this.#readOffset;
    this.#settledOffset = this.#readOffset;
    deps.appender.follow((entry) => this.#handleRecorded(entry));
  }

  /** How many raw bytes were handed to the recording. */
  get offset(): number {
    return this.#offset;
  }

  /** Reads until the program is gone and everything it wrote is recorded; what others write afterwards is read and let go. */
  async run(): Promise<PtyExit> {
    const { exited } = this.#deps.pty;
    const reading = this.#read();
    try {
      // A Pty that cannot be read may never tell of its end.
      const exit = await Promise.race([exited, reading.then(() => exited)]);
      // Another program may keep the PTY open for ever: then what the program itself wrote is enough.
      await (exit.drained ? reading : Promise.race([reading, this.#whenReached(exit.outputBytes)]));
      return exit;
    } catch (error) {
      // What came before a Pty was lost can still be read.
      await reading.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(this.#heldTimer);
      if (!this.#isDetached) this.#flush();
      this.#isClosed = true;
      await this.#appended;
    }
  }

  /** Stops reading; resolves when what was read is recorded. Held bytes are left to the next reader. */
  async detach(): Promise<void> {
    this.#isDetached = true;
    clearTimeout(this.#heldTimer);
    await this.#appended;
  }

  async #read(): Promise<void> {
    const { pty, appender } = this.#deps;
    using flood = new OutputRateWatch(pty);
    for (;;) {
      const chunk = await pty.read();
      // The rest of what is held back may be here, though it has to wait.
      if (chunk) clearTimeout(this.#heldTimer);
      // Also of what was read meanwhile no more is handed over than the recorder can hold.
      if (chunk && !this.#isClosed) await appender.room();
      // What is not recorded is kept where the Pty is.
      if (!chunk || this.#isDetached) return;
      if (this.#isClosed) {
        if (this.#lost.isEmpty) pty.acknowledge?.(chunk.offset + chunk.bytes.byteLength);
        continue;
      }
      flood.note(chunk.bytes.byteLength);
      this.#take(chunk);
    }
  }

  #take({ bytes, offset, stream }: Chunk): void {
    clearTimeout(this.#heldTimer);
    const end = offset + bytes.byteLength;
    const parser = stream ? this.#errorParser : this.#deps.parser;
    this.#hasTwoTexts ||= stream !== undefined;
    this.#readOffset = end;
    const fresh = this.#skip(bytes, stream);
    const guarded = stream ? fresh : this.#deps.echoGuard.take(fresh);
    const pieces = guarded.byteLength > 0 ? parser.push(guarded) : [];
    if (this.#heldBytes + this.#againBytes === 0) this.#wholeOffset = end;
    // Only what is held from the same byte on as before has been held that long.
    if (pieces.length > 0 || this.#heldSinceMs === undefined) this.#heldSinceMs = performance.now();
    const { preamble } = this.#deps;
    this.#append(preamble && !stream ? preamble.push(pieces) : pieces, stream);
    this.#awaitRest();
    for (const [target, resolve] of this.#reached) if (end >= target) resolve();
  }

  get #againBytes(): number {
    return this.#again.stdout + this.#again.stderr;
  }

  /** What is not recorded yet of bytes that were read. */
  #skip(bytes: Chunk["bytes"], stream: Chunk["stream"]): Chunk["bytes"] {
    const text = stream ?? "stdout";
    const count = Math.min(this.#again[text], bytes.byteLength);
    if (count === 0) return bytes;
    this.#again[text] -= count;
    return bytes.subarray(count);
  }

  /** Gives out what is held back when the rest of it does not come. */
  #awaitRest(): void {
    const { preamble } = this.#deps;
    if (preamble?.isWaiting) {
      this.#heldTimer = setTimeout(() => {
        this.#append(preamble.flush());
        this.#awaitRest();
      }, MAX_PREAMBLE_MS);
    } else if (this.#deps.echoGuard.heldBytes > 0) {
      this.#heldTimer = setTimeout(() => this.#releaseEcho(), MAX_ECHO_MS);
    } else if (this.#heldBytes > 0) {
      const heldMs = performance.now() - (this.#heldSinceMs ?? 0);
      this.#heldTimer = setTimeout(() => this.#flush(), Math.max(0, MAX_HELD_MS - heldMs));
    } else {
      this.#heldSinceMs = undefined;
    }
  }

  #whenReached(target: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reached.set(target, resolve);
    if (this.#readOffset >= target) resolve();
    return promise;
  }

  get #heldBytes(): number {
    const { parser, echoGuard } = this.#deps;
    return echoGuard.heldBytes + parser.heldBytes + this.#errorParser.heldBytes;
  }

  /** Nothing followed what looked like the beginning of an echo. */
  #releaseEcho(): void {
    const { parser, preamble, echoGuard } = this.#deps;
    const pieces = parser.push(echoGuard.flush());
    this.#append(preamble ? preamble.push(pieces) : pieces);
    this.#awaitRest();
  }

  #flush(): void {
    this.#heldSinceMs = undefined;
    const { parser, preamble, echoGuard } = this.#deps;
    const pieces = [...parser.push(echoGuard.flush()), ...parser.flush()];
    const errorPieces = this.#errorParser.flush();
    // Nothing is held back any more: a program whose other text filled the ring meanwhile would wait for ever.
    if (this.#againBytes === 0) this.#wholeOffset = this.#readOffset;
    this.#append(preamble ? [...preamble.push(pieces), ...preamble.flush()] : pieces);
    this.#append(errorPieces, "stderr");
  }

  #append(pieces: readonly OutputPiece[], stream?: "stderr"): void {
    for (const piece of pieces) {
      const { raw, view, drawn } = piece;
      if (raw.byteLength === 0) {
        // A marker without output of its own stands where the last piece ended.
        this.#deps.handlePiece(piece, this.#appended);
        continue;
      }
      const offset = this.#offset;
      this.#offset += raw.byteLength;
      const end = this.#offset;
      const fact = { type: "output", data: raw, offset, ...(stream ? { stream } : {}) } as const;
      // The bytes of the fact come back with its entry.
      const shown = {
        ...(view === raw ? {} : { view }),
        ...(drawn === raw ? {} : { drawn }),
      };
      this.#appended = this.#deps.appender.append({ fact, ...shown }).then(
        (entry) => this.#handleCommit(entry, end),
        (error: unknown) => this.#handleLoss(error, offset, end),
      );
      this.#deps.handlePiece(piece, this.#appended);
    }
  }

  #handleCommit(entry: RecordedEntry, end: number): void {
    this.#settle(end);
    // Fresh memory for each chunk is a good part of what a flood costs.
    if (entry.type === "output" && entry.data) this.#deps.recycle(entry.sequence, entry.data);
  }

  /** What was rejected stays with whoever has the Pty until a gap says that it is missing, or it is found. */
  #handleLoss(error: unknown, start: number, end: number): void {
    const isUnknown = error instanceof NacreError && error.code === "unavailable";
    if (end > this.#settledOffset) this.#lost.add({ start, end, isUnknown });
    this.#deps.handleLoss(error);
  }

  /** Others tell of what became of lost output. */
  #handleRecorded(entry: RecordedEntry): void {
    // What was missing before this host went on is none of its output.
    if (entry.type === "gap" && entry.reason !== "restart") {
      this.#settle(this.#lost.noteGap(entry.lostBytes, this.#offset) ?? this.#settledOffset);
    } else if (entry.type === "output" && !this.#lost.isEmpty) {
      const end = entry.offset + (entry.data?.byteLength ?? 0);
      if (this.#lost.noteFound(entry.offset, end)) this.#settle(end);
    }
  }

  /** What is committed need not be kept anywhere else. Of two texts, one may be held back while the other goes on. */
  #settle(end: number): void {
    this.#settledOffset = Math.max(this.#settledOffset, end);
    const { pty } = this.#deps;
    if (!this.#hasTwoTexts) {
      pty.acknowledge?.(Math.min(this.#settledOffset, this.#lost.firstOffset));
    } else if (this.#lost.isEmpty && this.#settledOffset >= this.#wholeOffset) {
      pty.acknowledge?.(this.#wholeOffset);
    }
  }
}
