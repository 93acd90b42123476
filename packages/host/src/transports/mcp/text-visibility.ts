import { paletteColor } from "../../base/palette.ts";

/** The sixteen colours that have names, as most terminals show them. */
const NAMED_COLOURS = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** Colours that are nearer than this in every channel cannot be told apart by people. */
const MIN_CONTRAST = 24;

/** A colour as 0xrrggbb, or that of the screen, which is not known. */
export type Colour = number | undefined;

/** What decides whether text that is written now can be seen: by what it was asked to look like. */
export class TextVisibility {
  #isConcealed = false;
  #foreground: Colour;
  #background: Colour;

  /** Whether people see what is written now; the colours of the screen itself are not known. */
  get isVisible(): boolean {
    return !this.#isConcealed && areDistinguishable(this.#foreground, this.#background);
  }

  /** Takes the parameters of a sequence that sets how text looks. */
  applySgr(parameters: string): void {
    const codes = parameters.split(";");
    for (let at = 0; at < codes.length;) at += this.#take(codes, at);
  }

  /** Takes one code, with what belongs to it, and says how many that were. */
  #take(codes: readonly string[], at: number): number {
    const [code = "", ...colons] = (codes[at] ?? "").split(":");
    const number = Number(code);
    if (number === 38 || number === 48 || number === 58) {
      const isApart = colons.length === 0;
      const rest = isApart ? codes.slice(at + 1, at + 5) : colons;
      const { colour, length } = parseSgrColour(rest, isApart);
      if (number === 38) this.#foreground = colour;
      if (number === 48) this.#background = colour;
      return isApart ? 1 + length : 1;
    }
    this.#applyCode(number);
    return 1;
  }

  #applyCode(code: number): void {
    if (code === 0)
      [this.#isConcealed, this.#foreground, this.#background] = [false, undefined, undefined];
    if (code === 8 || code === 28) this.#isConcealed = code === 8;
    if (code === 39) this.#foreground = undefined;
    if (code === 49) this.#background = undefined;
    const [tens, named] = [Math.floor(code / 10), NAMED_COLOURS[code % 10]];
    if (code % 10 > 7) return;
    const bright = NAMED_COLOURS[(code % 10) + 8];
    if (tens === 3) this.#foreground = named;
    if (tens === 4) this.#background = named;
    if (tens === 9) this.#foreground = bright;
    if (tens === 10) this.#background = bright;
  }
}

/** A colour by what stands behind 38 or 48, and how many codes that took. */
function parseSgrColour(
  codes: readonly string[],
  isApart: boolean,
): { readonly colour: Colour; readonly length: number } {
  const [kind, ...rest] = codes;
  if (kind === "5") return { colour: paletteColour(Number(rest[0])), length: 2 };
  if (kind !== "2") return { colour: undefined, length: kind === undefined ? 0 : 1 };
  // With colons a colour space may stand before the three channels.
  const channels = (isApart ? rest : rest.slice(-3)).map(Number);
  const [red = 0, green = 0, blue = 0] = channels;
  return { colour: ((red & 255) << 16) | ((green & 255) << 8) | (blue & 255), length: 4 };
}

/** A colour by its number among the 256. */
export function paletteColour(index: number | undefined): Colour {
  if (index === undefined || !(index >= 0 && index < 256)) return undefined;
  return index < 16 ? NAMED_COLOURS[index] : paletteColor(index);
}

/** Whether people can tell these colours apart, as far as they are known. */
export const areDistinguishable = (ink: Colour, paper: Colour): boolean =>
  ink === undefined ||
  paper === undefined ||
  [16, 8, 0].some(
    (shift) => Math.abs(((ink >> shift) & 255) - ((paper >> shift) & 255)) >= MIN_CONTRAST,
  );
