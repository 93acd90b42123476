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

/** A wide character needs two columns; narrower terminals are emulated with two. */
const MIN_COLUMNS = 2;

export interface EmulatorHooks {
  /** Receives replies to queries; absent: no replies. */
  readonly reply?: ((text: string) => void) | undefined;
  /** Registers extra sequences, such as failing ones in tests. */
  readonly prepare?: ((terminal: xterm.Terminal) => void) | undefined;
}

export interface EmulatorOptions extends EmulatorHooks {
  readonly size: Size;
  readonly scrollback: number;
}

/** One emulated terminal; unusable after any method threw. */
export class Emulator implements Disposable {
  readonly #terminal: xterm.Terminal;
  readonly #core: Core;
  readonly #scrollback: number;
  #size: Size;
  /** The unfinished escape sequence, replayed when a snapshot is restored. */
  #open: Uint8Array<ArrayBuffer> = NOTHING;
  /** An incomplete code point; xterm.js loses some of these. */
  #held: Uint8Array<ArrayBuffer> = NOTHING;
  #slice: Uint8Array<ArrayBuffer> = NOTHING;
  readonly budget = new WorkBudget();
  /** `performance.now()` after which writing pauses at the next costly sequence. */
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

  /** Restores a snapshot; throws when the bytes are not one. */
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

  /** xterm.js internals, for rendering. */
  get core(): Core {
    return this.#core;
  }

  /** No sequence or code point is open. */
  get isAtRest(): boolean {
    return this.#open.length === 0 && this.#held.length === 0;
  }

  get openSequence(): Uint8Array<ArrayBuffer> {
    return this.#open;
  }

  /** Rows and scrollback. */
  get lines(): number {
    return this.#core._bufferService.rows + this.#scrollback;
  }

  /** Output with the same effect on this screen; `followed` plain lines come after plain output. */
  dropScrolledOut(bytes: Uint8Array<ArrayBuffer>, followed = 0): Uint8Array<ArrayBuffer> {
    const { buffers, rows } = this.#core._bufferService;
    const { active, normal } = buffers;
    const scrollsWhole = active.scrollTop === 0 && active.scrollBottom === rows - 1;
    if (active !== normal || !scrollsWhole || !this.isAtRest) return bytes;
    return dropScrolledOut(bytes, { rows, lines: this.lines, followed });
  }

  /** Without a deadline. */
  writeAll(bytes: Uint8Array<ArrayBuffer>): void {
    this.deadline = Infinity;
    for (let from = 0; from < bytes.length;) {
      const end = findSliceEnd(bytes, from);
      this.write(bytes.subarray(from, end));
      from = end;
    }
  }

  /** False when it paused at the deadline: call `resume` before anything else. */
  write(bytes: Uint8Array<ArrayBuffer>): boolean {
    this.budget.earn(bytes.length);
    const whole = this.#held.length > 0 ? join(this.#held, bytes) : bytes;
    const tail = countIncompleteBytes(whole);
    this.#held = tail > 0 ? new Uint8Array(whole.subarray(whole.length - tail)) : NOTHING;
    this.#slice = tail > 0 ? whole.subarray(0, whole.length - tail) : whole;
    return this.#finish(this.#core._inputHandler.parse(this.#slice));
  }

  /** Continues after the sequence at which writing paused. */
  resume(): boolean {
    return this.#finish(this.#core._inputHandler.parse(this.#slice, true));
  }

  /** Reflows wrapped lines. */
  resize(size: Size): void {
    this.#size = size;
    resizeTerminal(this.#terminal, {
      cols: Math.max(size.cols, MIN_COLUMNS),
      rows: size.rows,
    });
  }

  /** The complete state as a snapshot. */
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

/** Renderings do not show links, and tracking them costs time per character. */
function dropLinks(terminal: xterm.Terminal): void {
  terminal.parser.registerOscHandler(8, () => true);
}
