/** The kernel keeps 16 bits per side; larger screens are mistakes that cost a screen model memory. */
export const MAX_COLS = 1000;
export const MAX_ROWS = 500;

export const MAX_SIDE_CELLS = Math.max(MAX_COLS, MAX_ROWS);
