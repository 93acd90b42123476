// What programs change in a terminal, and the sequences that take it back.

const off = (modes: readonly number[]): string => modes.map((mode) => `\x1b[?${mode}l`).join("");

/** Mouse, focus, paste, cursor keys, reverse wrap, and updates held back. */
const INPUT_MODES = off([1, 45, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026]);

/** Keys as they were: the keypad, and what some programs ask of modern keyboards. */
const KEYS = "\x1b>\x1b[>4;0m\x1b[<9u\x1b[=0u";

/** Letters as they were: pen, character sets, insertion, wrapping, the whole screen scrolls, and a cursor as usual. */
const WRITING = "\x1b[0m\x1b(B\x1b)B\x0f\x1b[4l\x1b[20l\x1b[?7h\x1b[?12l\x1b[?25h\x1b[0 q";

/** Takes back whatever a program set, without moving the cursor. */
export const RESET_MODES = `${INPUT_MODES}${KEYS}${WRITING}`;

/** Keeps the title of the window, and brings it back. */
export const KEEP_TITLE = "\x1b[22;2t";
const BRING_TITLE_BACK = "\x1b[23;2t";

/** The margins, and rows that are counted from them; taking either back moves the cursor to the top. */
const RESET_MARGINS = "\x1b[?6l\x1b[r";

/** Gives a terminal back at the bottom, below whatever is there; leaves the alternate screen where that is shown. */
export const LEAVE_AT_BOTTOM = `\x1b[?1047l${RESET_MARGINS}\x1b[9999;1H\r\n${BRING_TITLE_BACK}`;

/** Gives a terminal back below the cursor of the program; only for rows that are not counted from margins, since the cursor keeps how they are. */
export const LEAVE_BELOW_CURSOR = `\x1b7\x1b[r\x1b8\r\n\x1b[J${BRING_TITLE_BACK}`;

/** Gives a terminal back without knowing what it shows. */
export const RESTORE_SCREEN = `${RESET_MODES}${LEAVE_AT_BOTTOM}`;

/** Moves everything on a screen of so many rows up into the scrollback, and begins at its top. */
export const scrollScreenUp = (rows: number): string => `\x1b[${rows};1H${"\n".repeat(rows)}\x1b[H`;

/** Begins with an empty screen. */
export const CLEAR = `${RESET_MARGINS}\x1b[H\x1b[2J`;
