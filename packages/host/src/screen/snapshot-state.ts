// Modes, pen and character sets of an emulator, written down and read back.
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { requireInRange } from "./snapshot.ts";
import { type Charset, type Core, knownCharsets, type PrivateModes } from "./xterm-internals.ts";

const MOUSE_PROTOCOLS = ["NONE", "X10", "VT200", "DRAG", "ANY"];
const MOUSE_ENCODINGS = ["DEFAULT", "SGR", "SGR_PIXELS"];
const CURSOR_STYLES = [undefined, "block", "underline", "bar"] as const;
const CURSOR_BLINKS = [undefined, false, true];

/** Private modes that are simply on or off. */
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

/** Writes everything but the two buffers. */
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

/** Reads what `writeState` wrote into a fresh emulator. */
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

/** Writes a character set by its name; 0 is ASCII. */
export function writeCharset(writer: ByteWriter, charset: Charset | undefined): void {
  writer.u8(charset ? charsetName(charset).charCodeAt(0) : 0);
}

/** Reads a character set by its name. */
export function readCharset(reader: ByteReader): Charset | undefined {
  const code = reader.u8();
  if (code === 0) return undefined;
  const charset = knownCharsets().get(String.fromCharCode(code));
  if (!charset) throw new Error(`${code} is not the name of a character set`);
  return charset;
}

/** The last byte of the sequence that chooses a character set. */
export function charsetName(charset: Charset | undefined): string {
  for (const [name, known] of knownCharsets()) if (known === charset) return name;
  return "B";
}
