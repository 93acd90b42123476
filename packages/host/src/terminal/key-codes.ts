/** The name of a key taken apart. */
export interface ParsedKeyName {
  /** The modifiers as they were written, such as `C-` or `Ctrl+Shift+`. */
  readonly prefix: string;
  readonly modifiers: Modifiers;
  /** What is left: the name of a key, or a character. */
  readonly base: string;
}

/** How each modifier is written in front of `-` or `+`: tmux has `C M S`, ht also `A`, others the words. */
const MODIFIER_WORDS: Readonly<Record<string, keyof Modifiers>> = {
  c: "ctrl",
  ctrl: "ctrl",
  control: "ctrl",
  m: "alt",
  meta: "alt",
  a: "alt",
  alt: "alt",
  option: "alt",
  s: "shift",
  shift: "shift",
};

/** Takes a name such as `C-S-Left`, `^c` or `Ctrl+C` apart; a separator at its end is the key itself, as in `M--`. */
export function parseKeyName(name: string): ParsedKeyName {
  const modifiers = { shift: false, alt: false, ctrl: false };
  let start = 0;
  for (;;) {
    const modifier = modifierAt(name, start);
    if (modifier === undefined) break;
    modifiers[modifier.name] = true;
    start = modifier.end;
  }
  return { prefix: name.slice(0, start), modifiers, base: name.slice(start) };
}

interface FoundModifier {
  readonly name: keyof Modifiers;
  readonly end: number;
}

function modifierAt(name: string, start: number): FoundModifier | undefined {
  const last = name.length - 1;
  if (name[start] === "^" && start < last) return { name: "ctrl", end: start + 1 };
  let separator = start;
  while (separator < last && name[separator] !== "-" && name[separator] !== "+") separator += 1;
  if (separator >= last) return undefined;
  const word = name.slice(start, separator).toLowerCase();
  const found = Object.hasOwn(MODIFIER_WORDS, word) ? MODIFIER_WORDS[word] : undefined;
  return found === undefined ? undefined : { name: found, end: separator + 1 };
}

/** Writes modifiers as tmux does. */
export const formatModifiers = ({ shift, alt, ctrl }: Modifiers): string =>
  `${ctrl ? "C-" : ""}${alt ? "M-" : ""}${shift ? "S-" : ""}`;

/** A name with more letters is not a key misspelled. */
const LONGEST_MISSPELLING = 16;
/** More changed letters than these make another word. */
const MAX_EDIT_DISTANCE = 2;
/** More suggestions than these are not read. */
const MAX_SUGGESTIONS = 3;

/** Names of keys that differ little from this one, nearest first. */
export function suggestKeyNames(base: string): readonly string[] {
  if (base.length > LONGEST_MISSPELLING) return [];
  const small = base.toLowerCase();
  return [...KEYS.keys()]
    .map((name) => ({ name, changed: editDistance(small, name.toLowerCase()) }))
    .filter(({ name, changed }) => changed <= MAX_EDIT_DISTANCE && changed < name.length - 1)
    .toSorted((one, other) => one.changed - other.changed)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** How many letters must be added, removed or replaced to make one word of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const removed = (row[column] ?? 0) + 1;
      const added = (next[column - 1] ?? 0) + 1;
      next.push(Math.min(replaced, removed, added));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

const cursor = (final: string): KeyCode => ({ kind: "cursor", final });
const editing = (number: number): KeyCode => ({ kind: "editing", number });
const keypad = (text: string, final: string): KeyCode => ({ kind: "keypad", text, final });

/** Finals of F1 to F4 and numbers of F5 to F12; the gaps are those of the VT220. */
const FUNCTION_KEYS = "P Q R S 15 17 18 19 20 21 23 24".split(" ");

function functionKeys(): readonly (readonly [string, KeyCode])[] {
  return FUNCTION_KEYS.flatMap((key, index) => {
    const number = Number(key);
    const code: KeyCode = Number.isNaN(number) ? { kind: "function", final: key } : editing(number);
    return [
      [`F${index + 1}`, code] as const,
      [`F${index + 1 + FUNCTION_KEYS.length}`, { ...code, shifted: true }] as const,
    ];
  });
}

/** `SS3 p` to `SS3 y` are the digits of the keypad. */
const keypadDigits = (): readonly (readonly [string, KeyCode])[] =>
  Array.from({ length: 10 }, (_, digit) => [
    `KP${digit}`,
    keypad(String(digit), String.fromCharCode("p".charCodeAt(0) + digit)),
  ]);

/** Each key by the name it is suggested with. */
export const KEYS: ReadonlyMap<string, KeyCode> = new Map<string, KeyCode>([
  ["Enter", { kind: "fixed", text: "\r" }],
  ["Tab", { kind: "fixed", text: "\t", withShift: "\u001b[Z" }],
  ["BTab", { kind: "fixed", text: "\u001b[Z" }],
  ["Escape", { kind: "fixed", text: "\u001b" }],
  ["Space", { kind: "fixed", text: " ", withCtrl: "\u0000" }],
  ["BSpace", { kind: "fixed", text: "\u007f", withCtrl: "\b" }],
  ["Up", cursor("A")],
  ["Down", cursor("B")],
  ["Right", cursor("C")],
  ["Left", cursor("D")],
  ["End", cursor("F")],
  ["Home", cursor("H")],
  ["Insert", editing(2)],
  ["Delete", editing(3)],
  ["PageUp", editing(5)],
  ["PageDown", editing(6)],
  ...functionKeys(),
  ...keypadDigits(),
  ["KPEnter", keypad("\r", "M")],
  ["KP*", keypad("*", "j")],
  ["KP+", keypad("+", "k")],
  ["KP,", keypad(",", "l")],
  ["KP-", keypad("-", "m")],
  ["KP.", keypad(".", "n")],
  ["KP/", keypad("/", "o")],
  ["KP=", keypad("=", "X")],
]);

/** Other spellings of the same keys, in small letters. */
const ALIASES: Readonly<Record<string, string>> = {
  return: "Enter",
  cr: "Enter",
  backtab: "BTab",
  esc: "Escape",
  " ": "Space",
  spacebar: "Space",
  backspace: "BSpace",
  bs: "BSpace",
  arrowup: "Up",
  arrowdown: "Down",
  arrowright: "Right",
  arrowleft: "Left",
  ic: "Insert",
  ins: "Insert",
  dc: "Delete",
  del: "Delete",
  ppage: "PageUp",
  pgup: "PageUp",
  npage: "PageDown",
  pgdn: "PageDown",
  pgdown: "PageDown",
};

const BY_SMALL_NAME: ReadonlyMap<string, KeyCode> = new Map(
  [...KEYS].map(([name, code]) => [name.toLowerCase(), code]),
);

/** The key of this name, in any of its spellings and in small or capital letters. */
export function findKey(name: string): KeyCode | undefined {
  const small = name.toLowerCase();
  const alias = Object.hasOwn(ALIASES, small) ? ALIASES[small] : undefined;
  return alias === undefined ? BY_SMALL_NAME.get(small) : KEYS.get(alias);
}

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
