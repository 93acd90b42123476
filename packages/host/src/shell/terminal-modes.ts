/** Modes that change how input must be encoded. */
export interface TerminalModes {
  /** DECCKM: cursor keys send ESC O instead of ESC [. */
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  /** DECSET 2004. */
  readonly bracketedPaste: boolean;
  readonly alternateScreen: boolean;
  /** DECSET 1004. */
  readonly focusReporting: boolean;
  /** Any mouse tracking mode. */
  readonly mouse: boolean;
}

export const INITIAL_MODES: TerminalModes = {
  applicationCursor: false,
  applicationKeypad: false,
  bracketedPaste: false,
  alternateScreen: false,
  focusReporting: false,
  mouse: false,
};

const MODE_BY_NUMBER: ReadonlyMap<number, keyof TerminalModes> = new Map([
  [1, "applicationCursor"],
  [66, "applicationKeypad"],
  [2004, "bracketedPaste"],
  [47, "alternateScreen"],
  [1047, "alternateScreen"],
  [1049, "alternateScreen"],
  [1004, "focusReporting"],
  [9, "mouse"],
  [1000, "mouse"],
  [1001, "mouse"],
  [1002, "mouse"],
  [1003, "mouse"],
]);

const PRIVATE_MODES = /^\?([\d;]*)([hl])$/;
const MAY_CHANGE_MODES = /[hlp]$/;
const SOFT_RESET = "!p";

/** `body` reaches from the first parameter to the final character. */
export function modesAfterCsi(modes: TerminalModes, body: string): TerminalModes {
  if (!MAY_CHANGE_MODES.test(body)) return modes;
  // Terminals ignore control characters and invalid bytes inside a control sequence.
  const sequence = body.replace(/[^ -~]/g, "");
  if (sequence === SOFT_RESET) {
    const { alternateScreen, mouse } = modes;
    return { ...INITIAL_MODES, alternateScreen, mouse };
  }
  const [, numbers = "", final] = PRIVATE_MODES.exec(sequence) ?? [];
  let after = modes;
  for (const number of numbers.split(";")) {
    const mode = number === "" ? undefined : MODE_BY_NUMBER.get(Number(number));
    if (mode !== undefined) after = withMode(after, mode, final === "h");
  }
  return after;
}

export function modesAfterEscape(modes: TerminalModes, final: string): TerminalModes {
  if (final === "c") return INITIAL_MODES;
  if (final === "=" || final === ">") return withMode(modes, "applicationKeypad", final === "=");
  return modes;
}

const withMode = (modes: TerminalModes, mode: keyof TerminalModes, isOn: boolean): TerminalModes =>
  modes[mode] === isOn ? modes : { ...modes, [mode]: isOn };
