import type { KeyCode } from "./key-codes.ts";

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
