import type { Csi } from "./vt-parser.ts";

/** As most terminals show the 16 named colours. */
const NAMED_COLOURS = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** People cannot tell colours apart that are closer than this in every channel. */
const MIN_CONTRAST = 24;

const CUBE_LEVELS = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff];

/** 0xrrggbb; undefined: the screen's own, which is unknown. */
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
  for (let at = 0; at < csi.length;) {
    const code = csi.number(at, 0);
    const end = csi.endOfGroup(at);
    if (code === 38 || code === 48 || code === 58) {
      const isGroup = end > at + 1;
      const length = isGroup ? end - at : lengthOfSgrColour(csi, at);
      if (code !== 58) {
        const colour = readSgrColour(csi, at, isGroup ? length : 0);
        visibility = code === 38 ? { ...visibility, fg: colour } : { ...visibility, bg: colour };
      }
      at += length;
      continue;
    }
    visibility = applyCode(visibility, code);
    at = end;
  }
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

/** Parameters of a colour in the semicolon form, including the introducer. */
function lengthOfSgrColour(csi: Csi, at: number): number {
  const kind = csi.number(at + 1, 0);
  if (kind === 2) return 5;
  return kind === 5 ? 3 : 2;
}

/** @param groupLength Parameters joined by colons; the full form has a colour space before the channels. */
function readSgrColour(csi: Csi, at: number, groupLength: number): Colour {
  const kind = csi.number(at + 1, 0);
  if (kind === 5) return paletteColour(csi.number(at + 2, 0));
  if (kind !== 2) return undefined;
  const first = at + (groupLength > 5 ? 3 : 2);
  const channel = (place: number): number => csi.number(first + place, 0) & 255;
  return (channel(0) << 16) | (channel(1) << 8) | channel(2);
}

export function paletteColour(index: number | undefined): Colour {
  if (index === undefined || !(index >= 0 && index < 256)) return undefined;
  if (index < 16) return NAMED_COLOURS[index];
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const cube = index - 16;
  const channel = (place: number): number => CUBE_LEVELS[Math.floor(cube / 6 ** place) % 6] ?? 0;
  return (channel(2) << 16) | (channel(1) << 8) | channel(0);
}

/** As far as they are known. */
export const areDistinguishable = (ink: Colour, paper: Colour): boolean =>
  ink === undefined ||
  paper === undefined ||
  [16, 8, 0].some(
    (shift) => Math.abs(((ink >> shift) & 255) - ((paper >> shift) & 255)) >= MIN_CONTRAST,
  );
