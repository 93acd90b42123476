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

/** Output is decoded in blocks of this size, which the processor's cache holds and rows may keep for a moment. */
const BLOCK_BYTES = 16 * 1024;

/** What a renderer starts with: a size, or the state of another that it goes on from. */
export type RendererOptions =
  | {
      readonly size: Size;
      readonly styled?: boolean | undefined;
      /** Present when every line is wanted as it was written: blank ones too, with the blanks at their end. */
      readonly reading?: ReadingRules | undefined;
    }
  | { readonly state: unknown };

/** Turns raw output into the lines that a person saw; how the output was cut into chunks makes no difference. */
export class TextRenderer {
  readonly #final: FinalLines;
  readonly #decoder: Utf8Decoder;
  readonly #emulator: TextEmulator;
  readonly #parser: VtParser;
  readonly #hasNotice: boolean;

  /** Throws when the state is not one that `toState` gave; then the recording has to be rendered from its start. */
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

  /** Renders bytes; the mark, the number of the entry they are from, never decreases. */
  write(bytes: Uint8Array, mark: number): void {
    if (bytes.byteLength > 0) this.#emulator.pen.mark = mark;
    for (let at = 0; at < bytes.byteLength; at += BLOCK_BYTES) {
      this.#parser.parse(this.#decoder.decode(bytes.subarray(at, at + BLOCK_BYTES)));
      this.#emulator.screen.compact();
    }
  }

  /** Renders output that was decoded already. */
  writeText(text: string): void {
    this.#parser.parse(text);
  }

  /** The screen has another size from here on; nothing that was written is wrapped anew. */
  resize(size: Size): void {
    this.#emulator.resize(size);
  }

  /** The lines that became final since the last call, in the order in which they did. */
  takeFinal(): RenderedLine[] {
    return this.#final.take();
  }

  /** The lines on the screens that are not final yet, top to bottom and the primary screen first; changes nothing. */
  current(): RenderedLine[] {
    const { primary, alternate } = this.#emulator.screens;
    const rule = this.#final.isVerbatim ? "verbatim" : "visible";
    const drawn = this.#hasNotice ? [] : renderRows(alternate?.rows ?? [], rule);
    return [...renderRows(primary.rows, rule), ...drawn];
  }

  /** The text that became final since the last call, and then what is on the screens; without `reading` without blank lines. */
  takeText(): string {
    return joinLines([...this.takeFinal(), ...this.current()]);
  }

  /** The rows above the cursor become final: whoever shows lines as they come does not change them any more. */
  finishAbove(): void {
    this.#emulator.screens.primary.finishAbove();
  }

  /** Whether text and line ends that follow are read as they are, from the end of what was written. */
  get isAppending(): boolean {
    const isBetween = this.#decoder.begun.byteLength === 0 && this.#parser.isInGround;
    return isBetween && this.#emulator.isAppending;
  }

  /** What is on the screen becomes final, because at least as many lines follow as it has rows. */
  scrollOut(): void {
    this.#emulator.scrollOut();
  }

  /** Forgets what was written so far but for the place of the cursor, and returns what stands before it. */
  beginHere(): string {
    const before = this.#emulator.beginHere();
    this.#final.take();
    return before;
  }

  /** No more bytes follow: a character that was cut off will not become whole. */
  flush(): void {
    this.#parser.parse(this.#decoder.end());
  }

  /** What is on the screens becomes final, because the recording ended; a renderer is as good as new then. */
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
