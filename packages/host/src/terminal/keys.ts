import { NacreError } from "@nacre/contracts";
import {
  encodeCharacter,
  encodeKey,
  findKey,
  formatModifiers,
  type KeyModes,
  type Modifiers,
  type ParsedKeyName,
  parseKeyName,
  suggestKeyNames,
} from "./key-codes.ts";

export type { KeyModes } from "./key-codes.ts";

const ENCODER = new TextEncoder();

/** The bytes that keys pressed one after the other send, as xterm sends them; throws `invalid_argument` that names the first wrong one. */
export function encodeKeys(names: readonly string[], modes: KeyModes): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(names.map((name, index) => encodeNamed(name, index, modes)).join(""));
}

function encodeNamed(name: string, index: number, modes: KeyModes): string {
  const spelling = parseKeyName(name);
  if (!isKnown(spelling.base)) throw unknownKey(name, index, spelling);
  const sequence = encodeWith(spelling.base, spelling.modifiers, modes);
  if (sequence === undefined) throw impossibleKey(name, index, spelling);
  return sequence;
}

function isKnown(base: string): boolean {
  return isCharacter(base) || findKey(base) !== undefined;
}

function encodeWith(base: string, modifiers: Modifiers, modes: KeyModes): string | undefined {
  if (isCharacter(base)) return encodeCharacter(base, modifiers);
  const code = findKey(base);
  return code && encodeKey(code, modifiers, modes);
}

/** Whether the text is one character that can be seen; control characters are keys with Ctrl and named so. */
function isCharacter(text: string): boolean {
  const code = text.codePointAt(0);
  if (code === undefined || String.fromCodePoint(code) !== text) return false;
  return code > 0x20 && !(code >= 0x7f && code <= 0x9f) && text.isWellFormed();
}

/** A message shows no more of a wrong name than this. */
const SHOWN_NAME_LENGTH = 64;

const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_NAME_LENGTH));

const quoted = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(" or ");

function unknownKey(name: string, index: number, { prefix, base }: ParsedKeyName): NacreError {
  const near = suggestKeyNames(base).map((suggested) => `${prefix}${suggested}`);
  const suggestion =
    near.length > 0
      ? `Did you mean ${quoted(near)}?`
      : "Name one key, such as `Enter`, `C-c`, `M-x`, `S-Tab` or `F5`; send text as `data`.";
  return new NacreError("invalid_argument", `unknown key ${shown(name)}`, {
    field: `keys.${index}`,
    suggestion,
  });
}

const NO_MODIFIERS: Modifiers = { shift: false, alt: false, ctrl: false };
const NO_MODES: KeyModes = { applicationCursor: false, applicationKeypad: false };

function impossibleKey(name: string, index: number, { base }: ParsedKeyName): NacreError {
  const possible = [
    NO_MODIFIERS,
    { ...NO_MODIFIERS, ctrl: true },
    { ...NO_MODIFIERS, alt: true },
    { ...NO_MODIFIERS, shift: true },
  ]
    .filter((modifiers) => encodeWith(base, modifiers, NO_MODES) !== undefined)
    .map((modifiers) => `${formatModifiers(modifiers)}${base}`);
  return new NacreError("invalid_argument", `no terminal has a code for the key ${shown(name)}`, {
    field: `keys.${index}`,
    suggestion: `This key is ${quoted(possible)}.`,
  });
}

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

/** The bytes that pasting a text sends: never a key, so control characters other than tab and line end are left out; between brackets where the program asked for them. */
export function encodePaste(text: string, bracketed: boolean): Uint8Array<ArrayBuffer> {
  const typed = text
    // The whole sequence goes, because without its first character the rest would be pasted as text.
    // oxlint-disable-next-line no-control-regex -- leaving out these control characters is the purpose
    .replaceAll(/(?:\u001b\[|\u009b)20[01]~/g, "")
    // oxlint-disable-next-line no-control-regex -- leaving out these control characters is the purpose
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "")
    .replaceAll(/\r?\n/g, "\r");
  return ENCODER.encode(bracketed ? `${PASTE_START}${typed}${PASTE_END}` : typed);
}
