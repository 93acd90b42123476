/** The 16 named colours, as the pictures show them and as programs are told. */
const ANSI_COLORS = [
  0x2a2f3a, 0xd9525b, 0x6fb84a, 0xd3a63a, 0x4f95e8, 0xb277d8, 0x3fb5bd, 0xc5ccd6, 0x6b7484,
  0xff7a82, 0x9be075, 0xffd05e, 0x82bcff, 0xd7a4f6, 0x77e2e7, 0xffffff,
];

/** What text has when a program says nothing. */
export const DEFAULT_FOREGROUND = 0xd9dee6;

/** What the screen has when a program says nothing. */
export const DEFAULT_BACKGROUND = 0x11141a;

/** Steps of each of the three parts of a colour in the cube of 216. */
const CUBE_STEPS = [0, 95, 135, 175, 215, 255];

/** One of the 256 colours as 0xRRGGBB; those from 16 on are the same in every terminal. */
export function paletteColor(index: number): number {
  const named = ANSI_COLORS[index];
  if (named !== undefined) return named;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const cube = index - 16;
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(
    (step) => CUBE_STEPS[step] ?? 0,
  );
  return ((red ?? 0) << 16) | ((green ?? 0) << 8) | (blue ?? 0);
}
