import { Unicode11Addon } from "@xterm/addon-unicode11";
import type xterm from "@xterm/headless";

/** The name of our rules among those of an emulator. */
const VERSION = "nacre";

/** Packs that a letter has no width of its own and joins the one before. */
const JOINS = 1;

let rules: xterm.IUnicodeVersionProvider | undefined;

/** Makes an emulator measure letters by the rules of Unicode 11. */
export function useCharacterWidths(terminal: xterm.Terminal): void {
  rules ??= joinMarks(unicode11Rules(terminal));
  terminal.unicode.register(rules);
  terminal.unicode.activeVersion = VERSION;
}

/** How many columns a letter takes: 0, 1 or 2. */
export const characterWidth = (codePoint: number): number => rules?.wcwidth(codePoint) ?? 1;

/** The add-on keeps its rules to itself and the emulators it is loaded into. */
function unicode11Rules(terminal: xterm.Terminal): xterm.IUnicodeVersionProvider {
  let found: xterm.IUnicodeVersionProvider | undefined;
  const unicode: xterm.IUnicodeHandling = {
    versions: [],
    activeVersion: "",
    register: (provider) => {
      found = provider;
    },
  };
  // Only this part of a terminal is looked at.
  new Unicode11Addon().activate(Object.create(terminal, { unicode: { value: unicode } }));
  if (!found) throw new Error("the rules of Unicode 11 are missing");
  return found;
}

/** A mark always joins the letter before the cursor; left alone it would take a column, or depend on how output was cut. */
function joinMarks(base: xterm.IUnicodeVersionProvider): xterm.IUnicodeVersionProvider {
  return {
    version: VERSION,
    wcwidth: (codePoint) => base.wcwidth(codePoint),
    charProperties: (codePoint, preceding) =>
      widthIn(preceding) === 0 && base.wcwidth(codePoint) === 0
        ? JOINS
        : base.charProperties(codePoint, preceding),
  };
}

const widthIn = (properties: number): number => (properties >> 1) & 3;
