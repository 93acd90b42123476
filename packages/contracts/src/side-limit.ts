/** The kernel keeps 16 bits per side; beyond 1000 no screen is real and a screen model only burns memory. */
export const MAX_SIDE_CELLS = 1000;
