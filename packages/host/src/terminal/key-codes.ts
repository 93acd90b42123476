/** What is held down together with a key. */
export interface Modifiers {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

/** What the program asked of the keyboard, as far as keys are spelled differently for it. */
export interface KeyModes {
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
}

/** One key by the way xterm spells it. */
export type KeyCode =
  /** `CSI final`, or `SS3 final` for programs that asked for it; `CSI 1;m final` with modifiers. */
  | { readonly kind: "cursor"; readonly final: string }
  /** `SS3 final`; `CSI 1;m final` with modifiers. */
  | { readonly kind: "function"; readonly final: string; readonly shifted?: boolean }
  /** `CSI number ~`; `CSI number;m ~` with modifiers. */
  | { readonly kind: "editing"; readonly number: number; readonly shifted?: boolean }
  /** The character, or `SS3 final` for programs that asked for it. */
  | { readonly kind: "keypad"; readonly text: string; readonly final: string }
  /** One or few fixed texts. */
  | {
      readonly kind: "fixed";
      readonly text: string;
      readonly withShift?: string;
      readonly withCtrl?: string;
    };

const ESCAPE = "\u001b";
const CSI = `${ESCAPE}[`;
const SS3 = `${ESCAPE}O`;

/** The number of the modifiers in a sequence: one more than the sum of Shift 1, Alt 2 and Ctrl 4. */
const modifierNumber = ({ shift, alt, ctrl }: Modifiers): number =>
  1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);

/** What xterm sends for a key with modifiers; undefined where it has no sequence that tells them apart. */
export function encodeKey(
  code: KeyCode,
  modifiers: Modifiers,
  modes: KeyModes,
): string | undefined {
  switch (code.kind) {
    case "cursor": {
      const number = modifierNumber(modifiers);
      if (number > 1) return `${CSI}1;${number}${code.final}`;
      return `${modes.applicationCursor ? SS3 : CSI}${code.final}`;
    }
    case "function": {
      const number = shiftedNumber(code, modifiers);
      if (number === undefined) return undefined;
      return number === 1 ? `${SS3}${code.final}` : `${CSI}1;${number}${code.final}`;
    }
    case "editing": {
      const number = shiftedNumber(code, modifiers);
      if (number === undefined) return undefined;
      return number === 1 ? `${CSI}${code.number}~` : `${CSI}${code.number};${number}~`;
    }
    case "keypad": {
      if (modifiers.shift || modifiers.ctrl) return undefined;
      return withAlt(modes.applicationKeypad ? `${SS3}${code.final}` : code.text, modifiers);
    }
    case "fixed": {
      return withAlt(fixedText(code, modifiers), modifiers);
    }
  }
}

/** What xterm sends for a character with modifiers; undefined where it has none that tells them apart. */
export function encodeCharacter(character: string, modifiers: Modifiers): string | undefined {
  if (modifiers.shift && modifiers.ctrl) return undefined;
  if (modifiers.ctrl) return withAlt(toControlCharacter(character), modifiers);
  if (modifiers.shift) return withAlt(toCapital(character), modifiers);
  return withAlt(character, modifiers);
}

function withAlt(text: string | undefined, { alt }: Modifiers): string | undefined {
  return alt && text !== undefined ? `${ESCAPE}${text}` : text;
}

function fixedText(
  code: Extract<KeyCode, { kind: "fixed" }>,
  { shift, ctrl }: Modifiers,
): string | undefined {
  if (shift && ctrl) return undefined;
  if (shift) return code.withShift;
  if (ctrl) return code.withCtrl;
  return code.text;
}

/** F13 to F24 are spelled as F1 to F12 with Shift, so that they cannot have Shift of their own. */
function shiftedNumber(
  code: { readonly shifted?: boolean },
  modifiers: Modifiers,
): number | undefined {
  if (code.shifted !== true) return modifierNumber(modifiers);
  return modifiers.shift ? undefined : modifierNumber({ ...modifiers, shift: true });
}

/** Keys other than letters that have a control character. */
const CONTROLS: Readonly<Record<string, string>> = {
  "@": "\u0000",
  "[": "\u001b",
  "\\": "\u001c",
  "]": "\u001d",
  "^": "\u001e",
  _: "\u001f",
  "?": "\u007f",
  "-": "\u001f",
  "/": "\u001f",
  "2": "\u0000",
  "3": "\u001b",
  "4": "\u001c",
  "5": "\u001d",
  "6": "\u001e",
  "7": "\u001f",
  "8": "\u007f",
};

function toControlCharacter(character: string): string | undefined {
  if (/^[A-Za-z]$/.test(character)) return String.fromCharCode(character.charCodeAt(0) & 0x1f);
  return CONTROLS[character];
}

/** Which character Shift makes of another key depends on the keyboard; of a letter it is always the capital. */
function toCapital(character: string): string | undefined {
  const upper = character.toUpperCase();
  const isLetter = character.toLowerCase() !== upper;
  const isOneCharacter = String.fromCodePoint(upper.codePointAt(0) ?? 0) === upper;
  return isLetter && isOneCharacter ? upper : undefined;
}
