// Serialised emulator: version, compression flag, then the complete state.
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Size } from "@nacre/contracts";
import {
  type Attributes,
  BG,
  BLANK_PEN,
  type BufferLine,
  CELL_NUMBERS,
  type Charset,
  CONTENT,
  type Core,
  EMPTY_CONTENT,
  knownCharsets,
  type PrivateModes,
  type ScreenBuffer,
} from "./xterm-internals.ts";

// One screen buffer, normal or alternate.

const CELL_BYTES = CELL_NUMBERS * 4;

/** Lines of the alternate screen keep the cells of an earlier, wider size. */
const MAX_LINE_CELLS = 1000;

const WRAPPED = 1;
const COMBINED = 2;
const EXTENDED = 4;

/** Lines, cursor, margins, tabs and saved cursor. */
export function writeBuffer(writer: ByteWriter, buffer: ScreenBuffer): void {
  const { savedCurAttrData: saved, lines } = buffer;
  for (const value of [buffer.x, buffer.y, buffer.ybase]) writer.u16(value);
  for (const value of [buffer.scrollTop, buffer.scrollBottom]) writer.u16(value);
  writer.u16(buffer.savedX);
  writer.u32(buffer.savedY);
  writer.i32(saved.fg);
  writer.i32(saved.bg);
  writeCharset(writer, buffer.savedCharset);
  const tabs = Object.keys(buffer.tabs).map(Number);
  writer.u16(tabs.length);
  for (const tab of tabs) writer.u16(tab);
  writer.u16(lines.length);
  for (let at = 0; at < lines.length; at++) writeLine(writer, lineAt(buffer, at));
}

/** Into a buffer of a fresh emulator. */
export function readBuffer(
  reader: ByteReader,
  buffer: ScreenBuffer,
  { size, pen }: { size: Size; pen: Attributes },
): void {
  const { savedCurAttrData: saved, lines } = buffer;
  const { cols, rows } = size;
  buffer.x = requireInRange(reader.u16(), 0, cols, "as the cursor's column");
  buffer.y = requireInRange(reader.u16(), 0, rows - 1, "as the cursor's row");
  buffer.ybase = requireInRange(reader.u16(), 0, lines.maxLength - rows, "lines above the screen");
  buffer.ydisp = buffer.ybase;
  buffer.scrollTop = requireInRange(reader.u16(), 0, rows - 1, "as the upper margin");
  buffer.scrollBottom = requireInRange(
    reader.u16(),
    buffer.scrollTop,
    rows - 1,
    "as the lower margin",
  );
  buffer.savedX = requireInRange(reader.u16(), 0, MAX_LINE_CELLS, "as the saved column");
  buffer.savedY = reader.u32();
  saved.fg = reader.i32();
  saved.bg = reader.i32();
  buffer.savedCharset = readCharset(reader);
  buffer.tabs = {};
  for (let left = reader.u16(); left > 0; left--) buffer.tabs[reader.u16()] = true;
  const count = requireInRange(reader.u16(), 0, lines.maxLength, "lines");
  if (count > 0) requireInRange(count, buffer.ybase + rows, lines.maxLength, "lines");
  lines.length = 0;
  for (let at = 0; at < count; at++) lines.push(readLine(reader, { buffer, cols, pen }));
}

function lineAt(buffer: ScreenBuffer, at: number): BufferLine {
  const line = buffer.lines.get(at);
  if (!line) throw new Error(`line ${at} of ${buffer.lines.length} is missing`);
  return line;
}

function writeLine(writer: ByteWriter, line: BufferLine): void {
  const cells = usedCells(line);
  const combined = Object.entries(line._combined);
  const extended = Object.entries(line._extendedAttrs).filter(([at]) => hasExtended(line, at));
  const flags =
    (line.isWrapped ? WRAPPED : 0) |
    (combined.length > 0 ? COMBINED : 0) |
    (extended.length > 0 ? EXTENDED : 0);
  writer.u16(line.length);
  writer.u16(cells);
  writer.u8(flags);
  if (combined.length > 0) writer.u16(combined.length);
  for (const [at, text] of combined) {
    writer.u16(Number(at));
    writer.sized(new TextEncoder().encode(text));
  }
  if (extended.length > 0) writer.u16(extended.length);
  for (const [at, attributes] of extended) {
    writer.u16(Number(at));
    writer.i32(attributes?.ext ?? 0);
  }
  const { buffer, byteOffset } = line._data;
  writer.raw(new Uint8Array(buffer, byteOffset, cells * CELL_BYTES));
}

const hasExtended = (line: BufferLine, at: string): boolean =>
  ((line._data[Number(at) * CELL_NUMBERS + 2] ?? 0) & BG.extended) !== 0;

/** Up to the last written cell. */
function usedCells({ _data: data, length }: BufferLine): number {
  for (let cell = length; cell > 0; cell--) {
    const at = (cell - 1) * CELL_NUMBERS;
    if (data[at] !== EMPTY_CONTENT || data[at + 1] !== 0 || data[at + 2] !== 0) return cell;
  }
  return 0;
}

function readLine(
  reader: ByteReader,
  { buffer, cols, pen }: { buffer: ScreenBuffer; cols: number; pen: Attributes },
): BufferLine {
  const length = requireInRange(reader.u16(), cols, MAX_LINE_CELLS, "cells in a line");
  const cells = requireInRange(reader.u16(), 0, length, "cells in a line");
  const flags = reader.u8();
  const line = buffer.getBlankLine(BLANK_PEN, (flags & WRAPPED) !== 0);
  if (length !== line.length) line.resize(length, buffer.getNullCell());
  for (let left = flags & COMBINED ? reader.u16() : 0; left > 0; left--) {
    // Leftovers of a longer line; they matter when it is joined with another.
    const at = reader.u16();
    line._combined[at] = new TextDecoder().decode(reader.sized());
  }
  for (let left = flags & EXTENDED ? reader.u16() : 0; left > 0; left--) {
    const attributes = pen.extended.clone();
    const at = requireInRange(reader.u16(), 0, length - 1, "as a cell");
    attributes.ext = reader.i32();
    line._extendedAttrs[at] = attributes;
  }
  const raw = reader.raw(cells * CELL_BYTES);
  const { buffer: target, byteOffset } = line._data;
  new Uint8Array(target, byteOffset, raw.length).set(raw);
  checkCells(line, cells);
  return line;
}

/** Dangling references would make the emulator fail later. */
function checkCells(line: BufferLine, cells: number): void {
  for (let cell = 0; cell < cells; cell++) {
    const content = line._data[cell * CELL_NUMBERS] ?? 0;
    const background = line._data[cell * CELL_NUMBERS + 2] ?? 0;
    const isWhole =
      ((content & CONTENT.combined) === 0 || line._combined[cell] !== undefined) &&
      ((background & BG.extended) === 0 || line._extendedAttrs[cell] !== undefined) &&
      (content & CONTENT.codePoint) <= MAX_CODE_POINT &&
      content >>> CONTENT.widthShift <= 2;
    if (!isWhole) throw new Error(`cell ${cell} of a line makes no sense`);
  }
}

const MAX_CODE_POINT = 0x10ffff;

// Modes, SGR state and character sets.

const MOUSE_PROTOCOLS = ["NONE", "X10", "VT200", "DRAG", "ANY"];
const MOUSE_ENCODINGS = ["DEFAULT", "SGR", "SGR_PIXELS"];
const CURSOR_STYLES = [undefined, "block", "underline", "bar"] as const;
const CURSOR_BLINKS = [undefined, false, true];

/** Boolean private modes. */
const FLAGS = [
  "applicationCursorKeys",
  "applicationKeypad",
  "bracketedPasteMode",
  "origin",
  "reverseWraparound",
  "sendFocus",
  "synchronizedOutput",
  "wraparound",
] as const satisfies readonly (keyof PrivateModes)[];

/** Everything but the two buffers. */
export function writeEmulatorState(writer: ByteWriter, core: Core): void {
  const { coreService, coreMouseService, optionsService, _charsetService } = core;
  const { decPrivateModes: modes } = coreService;
  for (const flag of FLAGS) writer.u8(Number(modes[flag]));
  writer.u8(CURSOR_STYLES.indexOf(modes.cursorStyle));
  writer.u8(CURSOR_BLINKS.indexOf(modes.cursorBlink));
  writer.u8(Number(coreService.modes.insertMode));
  writer.u8(Number(coreService.isCursorHidden));
  writer.u8(Number(optionsService.options.cursorBlink));
  writer.u8(Number(optionsService.options.convertEol));
  writer.u8(MOUSE_PROTOCOLS.indexOf(coreMouseService.activeProtocol));
  writer.u8(MOUSE_ENCODINGS.indexOf(coreMouseService.activeEncoding));
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  for (const value of [fg, bg, extended.ext]) writer.i32(value);
  writer.u8(_charsetService.glevel);
  writeCharset(writer, _charsetService.charset);
  for (const level of LEVELS) writeCharset(writer, _charsetService._charsets[level]);
}

/** Into a fresh emulator. */
export function readEmulatorState(reader: ByteReader, core: Core): void {
  const { coreService, coreMouseService, optionsService, _charsetService } = core;
  const { decPrivateModes: modes } = coreService;
  for (const flag of FLAGS) modes[flag] = reader.u8() === 1;
  modes.cursorStyle = CURSOR_STYLES[requireInRange(reader.u8(), 0, 3, "as the cursor's style")];
  modes.cursorBlink = CURSOR_BLINKS[requireInRange(reader.u8(), 0, 2, "as the cursor's blinking")];
  coreService.modes.insertMode = reader.u8() === 1;
  coreService.isCursorHidden = reader.u8() === 1;
  optionsService.options.cursorBlink = reader.u8() === 1;
  optionsService.options.convertEol = reader.u8() === 1;
  coreMouseService.activeProtocol = MOUSE_PROTOCOLS[reader.u8()] ?? "NONE";
  coreMouseService.activeEncoding = MOUSE_ENCODINGS[reader.u8()] ?? "DEFAULT";
  const pen = core._inputHandler._curAttrData;
  pen.fg = reader.i32();
  pen.bg = reader.i32();
  pen.extended = pen.extended.clone();
  pen.extended.ext = reader.i32();
  _charsetService.glevel = requireInRange(reader.u8(), 0, 3, "as the character set in use");
  _charsetService.charset = readCharset(reader);
  _charsetService._charsets = LEVELS.map(() => readCharset(reader));
}

/** G0 to G3. */
const LEVELS = [0, 1, 2, 3];

/** By name; 0 is ASCII. */
function writeCharset(writer: ByteWriter, charset: Charset | undefined): void {
  writer.u8(charset ? charsetName(charset).charCodeAt(0) : 0);
}

function readCharset(reader: ByteReader): Charset | undefined {
  const code = reader.u8();
  if (code === 0) return undefined;
  const charset = knownCharsets().get(String.fromCharCode(code));
  if (!charset) throw new Error(`${code} is not the name of a character set`);
  return charset;
}

/** The final byte of its SCS sequence. */
export function charsetName(charset: Charset | undefined): string {
  for (const [name, known] of knownCharsets()) if (known === charset) return name;
  return "B";
}

/** Fits a small screen. */
const FIRST_BYTES = 16 * 1024;

/** Little-endian. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  u8(value: number): void {
    const at = this.#room(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#room(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }

  i32(value: number): void {
    const at = this.#room(4);
    this.#view.setInt32(at, value, true);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Length-prefixed. */
  sized(bytes: Uint8Array): void {
    this.u16(bytes.length);
    this.raw(bytes);
  }

  /** In a buffer of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Reverses `ByteWriter`; never reads past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  /** A view, not a copy. */
  raw(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Length-prefixed. */
  sized(): Uint8Array {
    return this.raw(this.u16());
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw new Error(`it ends ${bytes - this.left} bytes too early`);
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}

/** Another version is refused, and the screen is rebuilt from the recording. */
const VERSION = 1;

const PLAIN = 0;
const ZSTD = 1;

/** Below this, compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 512;

/** A full screen of 1000 by 1000 cells, its alternate and 1000 lines of scrollback are 36 MB. */
const MAX_PAYLOAD_BYTES = 48 * 1024 * 1024;

/** More lines only cost memory. */
export const MAX_SCROLLBACK_LINES = 1000;

/** MAX_SIDE_CELLS of the contracts, which are too large to load into every worker. */
const MAX_SIDE_CELLS = 1000;

/** What an emulator is constructed from. */
export interface SnapshotHeader {
  readonly size: Size;
  readonly scrollback: number;
}

/** `write` puts the body. */
export function encodeEmulatorSnapshot(
  { size, scrollback }: SnapshotHeader,
  write: (writer: ByteWriter) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.u16(size.cols);
  writer.u16(size.rows);
  writer.u16(scrollback);
  write(writer);
  const payload = writer.finish();
  const packed = payload.length < MIN_COMPRESSED_BYTES ? payload : compress(payload);
  const isPacked = packed.length < payload.length;
  const whole = new Uint8Array(2 + (isPacked ? packed : payload).length);
  whole[0] = VERSION;
  whole[1] = isPacked ? ZSTD : PLAIN;
  whole.set(isPacked ? packed : payload, 2);
  return whole;
}

/** Throws when the bytes are not a snapshot; the body is still to be read. */
export function decodeEmulatorSnapshot(bytes: Uint8Array): SnapshotHeader & { body: ByteReader } {
  const [version, form] = bytes;
  if (version !== VERSION) throw new Error(`version ${version} is not known, only ${VERSION}`);
  if (form !== PLAIN && form !== ZSTD) throw new Error(`form ${form} is not known`);
  const payload = bytes.subarray(2);
  const body = new ByteReader(form === ZSTD ? decompress(payload) : payload);
  const size = { cols: body.u16(), rows: body.u16() };
  const scrollback = body.u16();
  requireInRange(size.cols, 1, MAX_SIDE_CELLS, "columns");
  requireInRange(size.rows, 1, MAX_SIDE_CELLS, "rows");
  requireInRange(scrollback, 0, MAX_SCROLLBACK_LINES, "lines of scrollback");
  return { size, scrollback, body };
}

function requireInRange(value: number, least: number, most: number, what: string): number {
  if (value >= least && value <= most) return value;
  throw new Error(`${value} ${what}, expected ${least} to ${most}`);
}

const compress = (payload: Uint8Array): Uint8Array =>
  zstdCompressSync(payload, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

function decompress(payload: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = zstdDecompressSync(payload, {
    maxOutputLength: MAX_PAYLOAD_BYTES,
  });
  return new Uint8Array(buffer, byteOffset, length);
}
