// Private parts of the pinned xterm.js, typed here and used through nothing else.
import xterm from "@xterm/headless";

/** A character set such as line drawing; compared by identity. */
export type Charset = Readonly<Record<string, string>>;

interface ExtendedAttributes {
  ext: number;
  clone(): ExtendedAttributes;
}

/** The current SGR state. */
export interface Attributes {
  fg: number;
  bg: number;
  extended: ExtendedAttributes;
}

export const BLANK_PEN: Attributes = {
  fg: 0,
  bg: 0,
  extended: { ext: 0, clone: () => BLANK_PEN.extended },
};

/** Three numbers per cell, and what does not fit into them. */
export interface BufferLine {
  _data: Uint32Array<ArrayBuffer>;
  _combined: Record<number, string>;
  _extendedAttrs: Record<number, ExtendedAttributes | undefined>;
  length: number;
  isWrapped: boolean;
  resize(cols: number, fill: unknown): boolean;
  addCodepointToCell: (this: BufferLine, index: number, codePoint: number, width: number) => void;
}

/** A circular list. */
export interface LineList {
  _array: (BufferLine | undefined)[];
  _startIndex: number;
  length: number;
  maxLength: number;
  get(index: number): BufferLine | undefined;
  set(index: number, line: BufferLine): void;
  push(line: BufferLine): void;
}

export interface ScreenBuffer {
  readonly lines: LineList;
  ydisp: number;
  ybase: number;
  x: number;
  y: number;
  scrollTop: number;
  scrollBottom: number;
  tabs: Record<number, boolean | undefined>;
  savedX: number;
  savedY: number;
  readonly savedCurAttrData: Attributes;
  savedCharset: Charset | undefined;
  getBlankLine(attributes: Attributes, isWrapped?: boolean): BufferLine;
  getNullCell(attributes?: Attributes): unknown;
}

/** DECSET modes. */
export interface PrivateModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
  bracketedPasteMode: boolean;
  cursorBlink: boolean | undefined;
  cursorStyle: "block" | "underline" | "bar" | undefined;
  origin: boolean;
  reverseWraparound: boolean;
  sendFocus: boolean;
  synchronizedOutput: boolean;
  wraparound: boolean;
}

export interface CsiParameters {
  readonly length: number;
  readonly params: Int32Array;
}

/** What a handler says: that it is done, or that the parser shall pause. */
type HandlerResult = boolean | Promise<boolean>;

/** What a sequence does; some are called without anything. */
type SequenceHandler = (params: CsiParameters, respectProtect?: boolean) => HandlerResult;

/** Sequences that move lines, or columns of all lines; a number says how many. */
export const LINE_MOVES = ["insertLines", "deleteLines", "scrollUp", "scrollDown"] as const;
export const COLUMN_MOVES = [
  "scrollLeft",
  "scrollRight",
  "insertColumns",
  "deleteColumns",
] as const;

/** Sequences that stay in a line; a number says how many columns. */
export const CHARACTER_MOVES = [
  "insertChars",
  "deleteChars",
  "eraseChars",
  "cursorForwardTab",
  "cursorBackwardTab",
] as const;

/** A sequence by the name of its handler. */
export type SequenceName =
  | (typeof LINE_MOVES)[number]
  | (typeof COLUMN_MOVES)[number]
  | (typeof CHARACTER_MOVES)[number]
  | "repeatPrecedingCharacter"
  | "eraseInDisplay"
  | "setModePrivate"
  | "resetModePrivate"
  | "windowOptions"
  | "fullReset"
  | "screenAlignmentPattern";

/** Reads bytes and applies them; its methods are replaced where the pinned version needs it. */
interface InputHandler extends Record<SequenceName, SequenceHandler> {
  parse(data: Uint8Array, promiseResult?: boolean): void | Promise<boolean>;
  print: (data: Uint32Array, start: number, end: number) => void;
  _curAttrData: Attributes;
  readonly _utf8Decoder: { readonly interim: Uint8Array };
  readonly _parser: { readonly currentState: number; precedingJoinState: number };
  _restrictCursor: (maxColumn?: number) => void;
  _eraseInBufferLine: (...range: EraseRange) => void;
  _resetBufferLine: (row: number, respectProtect: boolean) => void;
}

type EraseRange = [
  row: number,
  start: number,
  end: number,
  clearWrap: boolean,
  respectProtect: boolean,
];

export interface Core {
  readonly _inputHandler: InputHandler;
  readonly _bufferService: {
    readonly cols: number;
    readonly rows: number;
    readonly buffers: {
      readonly normal: ScreenBuffer;
      readonly alt: ScreenBuffer;
      readonly active: ScreenBuffer;
      activateAltBuffer(): void;
    };
  };
  readonly _charsetService: {
    charset: Charset | undefined;
    glevel: number;
    _charsets: (Charset | undefined)[];
  };
  readonly coreService: {
    isCursorHidden: boolean;
    readonly modes: { insertMode: boolean };
    readonly decPrivateModes: PrivateModes;
  };
  readonly coreMouseService: { activeProtocol: string; activeEncoding: string };
  readonly optionsService: {
    readonly options: { cursorBlink: boolean; convertEol: boolean };
  };
}

/** Content, foreground, background. */
export const CELL_NUMBERS = 3;

/** Bits of a cell's content. */
export const CONTENT = { codePoint: 0x1fffff, combined: 0x200000, any: 0x3fffff, widthShift: 22 };

/** The same in foreground and background. */
export const COLOR = {
  mode: 0x3000000,
  palette16: 0x1000000,
  palette256: 0x2000000,
  rgb: 0x3000000,
  value: 0xffffff,
};

/** Flags in the foreground number. */
export const FG = {
  inverse: 0x4000000,
  bold: 0x8000000,
  underline: 0x10000000,
  blink: 0x20000000,
  invisible: 0x40000000,
  strike: 0x80000000,
};

/** Flags in the background number. */
export const BG = {
  italic: 0x4000000,
  dim: 0x8000000,
  extended: 0x10000000,
  protected: 0x20000000,
  overline: 0x40000000,
};

/** An unwritten cell. */
export const EMPTY_CONTENT = 1 << CONTENT.widthShift;

export const EXTENDED = { underlineStyle: 0x1c000000, underlineShift: 26, color: 0x3ffffff };

export function coreOf(terminal: xterm.Terminal): Core {
  if (!hasCore(terminal)) throw new Error("this version of the emulator is not the pinned one");
  return terminal._core;
}

const hasCore = (terminal: xterm.Terminal): terminal is xterm.Terminal & { _core: Core } =>
  "_core" in terminal;

/** Final bytes of SCS sequences. */
const CHARSET_NAMES = "0A4C5RQKYE6ZH7=";

let charsets: ReadonlyMap<string, Charset> | undefined;

/** Every character set but ASCII; one with two names has the first. */
export function knownCharsets(): ReadonlyMap<string, Charset> {
  charsets ??= findCharsets();
  return charsets;
}

function findCharsets(): ReadonlyMap<string, Charset> {
  const terminal = new xterm.Terminal({ cols: 2, rows: 1, logLevel: "off" });
  const { _inputHandler, _charsetService } = coreOf(terminal);
  const found = new Map<string, Charset>();
  for (const name of CHARSET_NAMES) {
    void _inputHandler.parse(new TextEncoder().encode(`\u001b(${name}`));
    const { charset } = _charsetService;
    if (charset && ![...found.values()].includes(charset)) found.set(name, charset);
  }
  terminal.dispose();
  return found;
}
