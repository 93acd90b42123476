// What tmux prints of a screen: text with SGR between, and line drawing behind SO.
import { type DrawnCharacter, spellLook, trimRow } from "./drawn-screen.ts";

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const TOKEN = /\u001b\[([\d;:]*)m|\u000e|\u000f|./gsu;

/** The special graphics of the VT100 from ` on. */
const GRAPHICS = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

const ATTRIBUTES: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  5: "blink",
  7: "inverse",
  8: "hidden",
  9: "strikethrough",
  // It takes 53 for a 5 with a kind, as 4:3 is.
  "5:3": "overline",
};

interface Pen {
  fg: string | number | undefined;
  bg: string | number | undefined;
  attributes: Set<string>;
}

/** Reads the output of `capture-pane -e`; the look goes on from line to line. */
export function readCaptured(lines: readonly string[]): readonly (readonly DrawnCharacter[])[] {
  const pen: Pen = { fg: undefined, bg: undefined, attributes: new Set() };
  let isGraphics = false;
  return lines.map((line) => {
    const row: DrawnCharacter[] = [];
    for (const [token, parameters] of line.matchAll(TOKEN)) {
      if (parameters !== undefined) applySgr(pen, parameters.split(";"));
      else if (token === "\u000e") isGraphics = true;
      else if (token === "\u000f") isGraphics = false;
      else {
        const character = isGraphics ? graphicOf(token) : token;
        const look = spellLook(character, { ...pen, attributes: [...pen.attributes] });
        row.push({ character, look });
      }
    }
    return trimRow(row);
  });
}

function graphicOf(character: string): string {
  return GRAPHICS[character.charCodeAt(0) - 0x60] ?? character;
}

/** Only the spellings that tmux itself uses. */
function applySgr(pen: Pen, parameters: readonly string[]): void {
  for (let at = 0; at < parameters.length; at++) {
    const parameter = parameters[at] ?? "";
    const code = Number(parameter);
    if (parameter === "" || code === 0) {
      pen.fg = undefined;
      pen.bg = undefined;
      pen.attributes.clear();
    } else if (code === 58) break;
    else if (ATTRIBUTES[parameter] !== undefined) pen.attributes.add(ATTRIBUTES[parameter]);
    else if (code === 38 || code === 48) {
      const isIndexed = parameters[at + 1] === "5";
      const color = isIndexed ? Number(parameters[at + 2]) : rgb(parameters.slice(at + 2, at + 5));
      if (code === 38) pen.fg = color;
      else pen.bg = color;
      at += isIndexed ? 2 : 4;
    } else if (parameter.startsWith("4:")) pen.attributes.add("underline");
    else if (code >= 30 && code <= 37) pen.fg = code - 30;
    else if (code >= 90 && code <= 97) pen.fg = code - 90 + 8;
    else if (code >= 40 && code <= 47) pen.bg = code - 40;
    else if (code >= 100 && code <= 107) pen.bg = code - 100 + 8;
    else if (code === 39) pen.fg = undefined;
    else if (code === 49) pen.bg = undefined;
    else if (code !== 59) throw new Error(`tmux printed SGR ${parameters.join(";")}`);
  }
}

const rgb = (parts: readonly string[]): string =>
  `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
