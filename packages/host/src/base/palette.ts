/** Channel levels of the 6×6×6 cube. */
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];

/** 16 to 255 of xterm's palette as 0xRRGGBB: a cube of 216, then 24 greys. */
export function paletteColor(index: number): number {
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x01_01_01;
  const channel = (weight: number): number =>
    CUBE_LEVELS[Math.floor((index - 16) / weight) % 6] ?? 0;
  return (channel(36) << 16) | (channel(6) << 8) | channel(1);
}

export const formatHexColor = (color: number): string => `#${color.toString(16).padStart(6, "0")}`;
