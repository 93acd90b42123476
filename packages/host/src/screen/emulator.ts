import type { Size } from "@nacre/contracts";
import xterm from "@xterm/headless";
import { boundInput, resizeTerminal, useCharacterWidths } from "./xterm-patches.ts";
import { answerQueries } from "./query-replies.ts";
import { dropScrolledOut } from "./drop-scrolled-out.ts";
import { countIncompleteBytes, findOpenSequence, findSliceEnd } from "./find-slice-end.ts";
import {
  decodeEmulatorSnapshot,
  encodeEmulatorSnapshot,
  MAX_SCROLLBACK_LINES,
  readBuffer,
  readEmulatorState,
  writeBuffer,
  writeEmulatorState,
} from "./snapshot.ts";
import { WorkBudget } from "./work-budget.ts";
import { type Core, coreOf } from "./xterm-internals.ts";

/** Less than two columns have no room for a wide letter; the emulator draws two then. */
const MIN_COLUMNS = 2;

/** What an emulator does besides drawing. */
export interface EmulatorHooks {
  /** Gets the answers to queries; without it nothing is answered. */
  readonly reply?: ((text: string) => void) | undefined;
  /** Teaches the emulator sequences of its own, such as those that fail in tests. */
  readonly prepare?: ((terminal: xterm.Terminal) => void) | undefined;
}

export interface EmulatorOptions extends EmulatorHooks {
  readonly size: Size;
  readonly scrollback: number;
}

/** One emulated terminal; an exception out of any method leaves it unusable. */
export class Emulator implements Disposable {
  readonly #terminal: xterm.Terminal;
  readonly #core: Core;
  readonly #scrollback: number;
  #size: Size;
  /** The escape sequence that is not finished yet, to be read again by whoever goes on from a snapshot. */
  #open: Uint8Array<ArrayBuffer> = NOTHING;
  /** The beginning of a letter whose other bytes have not come yet; the emulator itself loses some of these. */
  #held: Uint8Array<ArrayBuffer> = NOTHING;
  #slice: Uint8Array<ArrayBuffer> = NOTHING;
  /** What drawing it may cost. */
  readonly budget = new WorkBudget();
  /** When writing is to pause behind the next costly sequence, by `performance.now()`. */
  deadline = Infinity;

  constructor({ size, scrollback, reply, prepare }: EmulatorOptions) {
    this.#size = size;
    this.#scrollback = Math.min(scrollback, MAX_SCROLLBACK_LINES);
    this.#terminal = new xterm.Terminal({
      cols: Math.max(size.cols, MIN_COLUMNS),
      rows: size.rows,
      scrollback: this.#scrollback,
      logLevel: "off",
      allowProposedApi: true,
      disableStdin: true,
    });
    useCharacterWidths(this.#terminal);
    this.#core = coreOf(this.#terminal);
    boundInput(this.#core, {
      budget: this.budget,
      isOverdue: () => performance.now() > this.deadline,
    });
    dropLinks(this.#terminal);
    if (reply) answerQueries(this.#terminal, this.#core, reply);
    prepare?.(this.#terminal);
  }

  /** Goes on from a snapshot; throws on whatever is not one. */
  static load(bytes: Uint8Array, hooks: EmulatorHooks = {}): Emulator {
    const { size, scrollback, body } = decodeEmulatorSnapshot(bytes);
    const emulator = new Emulator({ size, scrollback, ...hooks });
    const core = emulator.#core;
    const { buffers, cols, rows } = core._bufferService;
    readEmulatorState(body, core);
    if (body.u8() === 1) buffers.activateAltBuffer();
    const drawn = { size: { cols, rows }, pen: core._inputHandler._curAttrData };
    readBuffer(body, buffers.normal, drawn);
    readBuffer(body, buffers.alt, drawn);
    if (buffers.active.lines.length === 0) throw new Error("the screen shown has no lines");
    emulator.#held = new Uint8Array(body.sized());
    emulator.#open = new Uint8Array(body.sized());
    const joinState = body.i32();
    if (emulator.#open.length > 0) void core._inputHandler.parse(emulator.#open);
    core._inputHandler._parser.precedingJoinState = joinState;
    if (body.left > 0) throw new Error(`${body.left} bytes too many`);
    return emulator;
  }

  get size(): Size {
    return this.#size;
  }

  /** The inside, for those who draw pictures of it. */
  get core(): Core {
    return this.#core;
  }

  /** Whether the next byte begins something new. */
  get isAtRest(): boolean {
    return this.#open.length === 0 && this.#held.length === 0;
  }

  /** The escape sequence that is not finished yet. */
  get openSequence(): Uint8Array<ArrayBuffer> {
    return this.#open;
  }

  /** How many lines it can show, with those that have scrolled out. */
  get lines(): number {
    return this.#core._bufferService.rows + this.#scrollback;
  }

  /** What has to be written of an output to make the same of this screen as all of it does; so many plain lines follow plain output. */
  dropScrolledOut(bytes: Uint8Array<ArrayBuffer>, followed = 0): Uint8Array<ArrayBuffer> {
    const { buffers, rows } = this.#core._bufferService;
    const { active, normal } = buffers;
    const scrollsWhole = active.scrollTop === 0 && active.scrollBottom === rows - 1;
    if (active !== normal || !scrollsWhole || !this.isAtRest) return bytes;
    return dropScrolledOut(bytes, { rows, lines: this.lines, followed });
  }

  /** Writes everything, however long it takes. */
  writeAll(bytes: Uint8Array<ArrayBuffer>): void {
    this.deadline = Infinity;
    for (let from = 0; from < bytes.length;) {
      const end = findSliceEnd(bytes, from);
      this.write(bytes.subarray(from, end));
      from = end;
    }
  }

  /** Writes; false when it paused at the deadline and `resume` has to be called before anything else. */
  write(bytes: Uint8Array<ArrayBuffer>): boolean {
    this.budget.earn(bytes.length);
    const whole = this.#held.length > 0 ? join(this.#held, bytes) : bytes;
    const tail = countIncompleteBytes(whole);
    this.#held = tail > 0 ? new Uint8Array(whole.subarray(whole.length - tail)) : NOTHING;
    this.#slice = tail > 0 ? whole.subarray(0, whole.length - tail) : whole;
    return this.#finish(this.#core._inputHandler.parse(this.#slice));
  }

  /** Goes on behind the sequence that writing paused at. */
  resume(): boolean {
    return this.#finish(this.#core._inputHandler.parse(this.#slice, true));
  }

  /** Gives the screen another size; what was wrapped is wrapped anew. */
  resize(size: Size): void {
    this.#size = size;
    resizeTerminal(this.#terminal, {
      cols: Math.max(size.cols, MIN_COLUMNS),
      rows: size.rows,
    });
  }

  /** Everything it is made of, to go on from elsewhere. */
  save(): Uint8Array<ArrayBuffer> {
    const { buffers } = this.#core._bufferService;
    return encodeEmulatorSnapshot({ size: this.#size, scrollback: this.#scrollback }, (writer) => {
      writeEmulatorState(writer, this.#core);
      writer.u8(Number(buffers.active === buffers.alt));
      writeBuffer(writer, buffers.normal);
      writeBuffer(writer, buffers.alt);
      writer.sized(this.#held);
      writer.sized(this.#open);
      writer.i32(this.#core._inputHandler._parser.precedingJoinState);
    });
  }

  [Symbol.dispose](): void {
    this.#terminal.dispose();
  }

  #finish(paused: Promise<boolean> | void): boolean {
    if (paused) return false;
    const { currentState } = this.#core._inputHandler._parser;
    if (currentState === 0) this.#open = NOTHING;
    else this.#open = findOpenSequence(join(this.#open, this.#slice), currentState);
    this.#slice = NOTHING;
    return true;
  }
}

const NOTHING: Uint8Array<ArrayBuffer> = new Uint8Array(0);

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Links are not shown in pictures, and keeping track of them costs time for every letter. */
function dropLinks(terminal: xterm.Terminal): void {
  terminal.parser.registerOscHandler(8, () => true);
}
