import type { Modifiers } from "./key-codes.ts";
import { KEYS } from "./key-names.ts";

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
