import { paletteColor } from "../palette.ts";
import { forEachSgr, type SgrColor } from "./text-style.ts";
import type { Csi } from "./vt-parser.ts";

/** As most terminals show the 16 named colours. */
const NAMED_COLOURS = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** People cannot tell colours apart that are closer than this in every channel. */
const MIN_CONTRAST = 24;

/** A colour as 0xrrggbb, or that of the screen, which is not known. */
export type Colour = number | undefined;

export interface Visibility {
  readonly isConcealed?: true | undefined;
  readonly fg?: Colour;
  readonly bg?: Colour;
}

export const PLAIN_VISIBILITY: Visibility = Object.freeze({});

/** Not concealed (SGR 8), and its colour differs from the background. */
export const isVisible = ({ isConcealed, fg, bg }: Visibility): boolean =>
  !isConcealed && areDistinguishable(fg, bg);

/** After an SGR sequence. */
export function selectVisibility(before: Visibility, csi: Csi): Visibility {
  let visibility = before;
  forEachSgr(csi, (code, color) => {
    if (code === 38) visibility = { ...visibility, fg: toColour(color) };
    else if (code === 48) visibility = { ...visibility, bg: toColour(color) };
    else visibility = applyCode(visibility, code);
  });
  return visibility;
}

/** Most sequences change nothing here, and then nothing is allocated. */
function applyCode(visibility: Visibility, code: number): Visibility {
  if (code === 0) return PLAIN_VISIBILITY;
  if (code === 8) return { ...visibility, isConcealed: true };
  if (code === 28)
    return visibility.isConcealed ? { ...visibility, isConcealed: undefined } : visibility;
  const [kind, index] = [Math.floor(code / 10), code % 10];
  if (index > 7) {
    if (code === 39)
      return visibility.fg === undefined ? visibility : { ...visibility, fg: undefined };
    if (code === 49)
      return visibility.bg === undefined ? visibility : { ...visibility, bg: undefined };
    return visibility;
  }
  if (kind === 3) return { ...visibility, fg: NAMED_COLOURS[index] };
  if (kind === 4) return { ...visibility, bg: NAMED_COLOURS[index] };
  if (kind === 9) return { ...visibility, fg: NAMED_COLOURS[index + 8] };
  if (kind === 10) return { ...visibility, bg: NAMED_COLOURS[index + 8] };
  return visibility;
}

function toColour([first, green, blue]: SgrColor): Colour {
  if (first === undefined || green === undefined || blue === undefined) return paletteColour(first);
  return ((first & 255) << 16) | ((green & 255) << 8) | (blue & 255);
}

export function paletteColour(index: number | undefined): Colour {
  if (index === undefined || !(index >= 0 && index < 256)) return undefined;
  return NAMED_COLOURS[index] ?? paletteColor(index);
}

/** As far as they are known. */
export const areDistinguishable = (ink: Colour, paper: Colour): boolean =>
  ink === undefined ||
  paper === undefined ||
  [16, 8, 0].some(
    (shift) => Math.abs(((ink >> shift) & 255) - ((paper >> shift) & 255)) >= MIN_CONTRAST,
  );
