/** The kernel keeps 16 bits per side; beyond these no screen is real and a screen model only burns memory. */
export const MAX_COLS = 1000;
export const MAX_ROWS = 500;

/** No side of a screen has more cells, whichever it is. */
export const MAX_SIDE_CELLS = Math.max(MAX_COLS, MAX_ROWS);
