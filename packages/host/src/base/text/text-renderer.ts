import type { Size } from "@nacre/contracts";
import {
  type EmulatorSetup,
  initialSetup,
  type ReadingRules,
  TextEmulator,
} from "./text-emulator.ts";
import { VtParser } from "./vt-parser.ts";
import { FinalLines, joinLines, type RenderedLine, renderRows } from "./rendered-line.ts";
import {
  parseRendererState,
  type RendererState,
  restoreScreen,
  toScreenState,
} from "./renderer-state.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

export type { RenderedLine } from "./rendered-line.ts";

/** Fits the CPU cache; rows may keep it for a moment. */
const BLOCK_BYTES = 16 * 1024;

/** A size, or another renderer's state. */
export type RendererOptions =
  | {
      readonly size: Size;
      readonly styled?: boolean | undefined;
      /** Keeps every line as written: blank ones too, with trailing blanks. */
      readonly reading?: ReadingRules | undefined;
    }
  | { readonly state: unknown };

/** Turns raw output into the lines that a person saw, independent of chunking. */
export class TextRenderer {
  readonly #final: FinalLines;
  readonly #decoder: Utf8Decoder;
  readonly #emulator: TextEmulator;
  readonly #parser: VtParser;
  readonly #hasNotice: boolean;

  /** Throws on an invalid state; then render the recording from its start. */
  constructor(options: RendererOptions) {
    const { setup, state } = readOptions(options);
    const reading = "state" in options ? undefined : options.reading;
    this.#final = new FinalLines(state?.final, reading ? "verbatim" : "visible");
    this.#hasNotice = reading?.alternate === "notice";
    this.#decoder = new Utf8Decoder(Uint8Array.from(state?.begunBytes ?? []));
    this.#emulator = new TextEmulator(setup, this.#final, reading);
    this.#parser = new VtParser(this.#emulator, state?.parser);
    const { screens } = this.#emulator;
    if (state) restoreScreen(screens.primary, state.primary);
    if (!state?.alternate) return;
    screens.enterAlternate();
    restoreScreen(screens.shown, state.alternate);
  }

  /** `mark`, the entry's sequence, never decreases. */
  write(bytes: Uint8Array, mark: number): void {
    if (bytes.byteLength > 0) this.#emulator.pen.mark = mark;
    for (let at = 0; at < bytes.byteLength; at += BLOCK_BYTES) {
      this.#parser.parse(this.#decoder.decode(bytes.subarray(at, at + BLOCK_BYTES)));
      this.#emulator.screen.compact();
    }
  }

  writeText(text: string): void {
    this.#parser.parse(text);
  }

  /** Without reflow. */
  resize(size: Size): void {
    this.#emulator.resize(size);
  }

  /** Since the last call, in order. */
  takeFinal(): RenderedLine[] {
    return this.#final.take();
  }

  /** Lines not final yet, top to bottom, primary screen first; changes nothing. */
  current(): RenderedLine[] {
    const { primary, alternate } = this.#emulator.screens;
    const rule = this.#final.isVerbatim ? "verbatim" : "visible";
    const drawn = this.#hasNotice ? [] : renderRows(alternate?.rows ?? [], rule);
    return [...renderRows(primary.rows, rule), ...drawn];
  }

  /** New final text, then what is on the screens; without blank lines unless `reading` is set. */
  takeText(): string {
    return joinLines([...this.takeFinal(), ...this.current()]);
  }

  /** Rows above the cursor become final. */
  finishAbove(): void {
    this.#emulator.screens.primary.finishAbove();
  }

  /** Text and line ends are appended as they are. */
  get isAppending(): boolean {
    const isBetween = this.#decoder.begun.byteLength === 0 && this.#parser.isInGround;
    return isBetween && this.#emulator.isAppending;
  }

  /** Everything on the screen becomes final, because at least as many lines follow. */
  scrollOut(): void {
    this.#emulator.scrollOut();
  }

  /** Forgets all text but keeps the cursor; returns the text before it. */
  beginHere(): string {
    const before = this.#emulator.beginHere();
    this.#final.take();
    return before;
  }

  /** An incomplete character stays incomplete. */
  flush(): void {
    this.#parser.parse(this.#decoder.end());
  }

  /** The recording ended: everything becomes final, and the renderer is reset. */
  end(): void {
    this.flush();
    this.#parser.reset();
    this.#emulator.reset();
  }

  /** Everything needed to go on in another process, as plain JSON; only of a renderer without styles. */
  toState(): RendererState {
    const { setup, screens } = this.#emulator;
    const { primary, alternate } = screens;
    return {
      version: 2,
      begunBytes: [...this.#decoder.begun],
      parser: this.#parser.toState(),
      setup: { ...setup, isStyled: false },
      primary: toScreenState(primary),
      ...(alternate && { alternate: toScreenState(alternate) }),
      final: [...this.#final.all],
    };
  }
}

function readOptions(options: RendererOptions): { setup: EmulatorSetup; state?: RendererState } {
  if (!("state" in options)) return { setup: initialSetup(options.size, options.styled ?? false) };
  const state = parseRendererState(options.state);
  return { setup: state.setup, state };
}
