// Which modes a program may ask about, and how they stand.
import type { Core } from "./xterm-internals.ts";

/** How a mode stands, as a report spells it. */
export interface ModeReport {
  readonly mode: number;
  /** 0 not known, 1 set, 2 reset, 3 always set, 4 never set. */
  readonly value: 0 | 1 | 2 | 3 | 4;
}

type ModePredicate = (core: Core) => boolean;
type ModeRule = ModePredicate | 0 | 3 | 4;

const isMouse =
  (protocol: string): ModePredicate =>
  (core) =>
    core.coreMouseService.activeProtocol === protocol;

const isEncoded =
  (encoding: string): ModePredicate =>
  (core) =>
    core.coreMouseService.activeEncoding === encoding;

const isAlternate: ModePredicate = ({ _bufferService: { buffers } }) =>
  buffers.active === buffers.alt;

const ANSI_MODES: ReadonlyMap<number, ModeRule> = new Map<number, ModeRule>([
  [2, 4],
  [4, (core) => core.coreService.modes.insertMode],
  [12, 3],
  [20, (core) => core.optionsService.options.convertEol],
]);

/** Modes that are known but not here are listed too: programs wait for the answer that they are not. */
const PRIVATE_MODES: ReadonlyMap<number, ModeRule> = new Map<number, ModeRule>([
  [1, (core) => core.coreService.decPrivateModes.applicationCursorKeys],
  [3, 0],
  [6, (core) => core.coreService.decPrivateModes.origin],
  [7, (core) => core.coreService.decPrivateModes.wraparound],
  [8, 3],
  [9, isMouse("X10")],
  [12, (core) => core.optionsService.options.cursorBlink],
  [25, (core) => !core.coreService.isCursorHidden],
  [45, (core) => core.coreService.decPrivateModes.reverseWraparound],
  [47, isAlternate],
  [66, (core) => core.coreService.decPrivateModes.applicationKeypad],
  [67, 4],
  [69, 0],
  [80, 0],
  [1000, isMouse("VT200")],
  [1001, 0],
  [1002, isMouse("DRAG")],
  [1003, isMouse("ANY")],
  [1004, (core) => core.coreService.decPrivateModes.sendFocus],
  [1005, 4],
  [1006, isEncoded("SGR")],
  [1007, 0],
  [1015, 4],
  [1016, isEncoded("SGR_PIXELS")],
  [1034, 0],
  [1035, 0],
  [1036, 0],
  [1039, 0],
  [1042, 0],
  [1047, isAlternate],
  [1048, 3],
  [1049, isAlternate],
  [1070, 0],
  [2004, (core) => core.coreService.decPrivateModes.bracketedPasteMode],
  [2026, (core) => core.coreService.decPrivateModes.synchronizedOutput],
  [2027, 0],
  [2028, 0],
  [2031, 0],
  [2048, 0],
]);

/** How a mode of the standard stands; nothing when nobody has heard of it. */
export const reportAnsiMode = (core: Core, mode: number): ModeReport | undefined =>
  reportMode(core, mode, ANSI_MODES);

/** How a private mode stands; nothing when nobody has heard of it. */
export const reportPrivateMode = (core: Core, mode: number): ModeReport | undefined =>
  reportMode(core, mode, PRIVATE_MODES);

function reportMode(
  core: Core,
  mode: number,
  modes: ReadonlyMap<number, ModeRule>,
): ModeReport | undefined {
  const rule = modes.get(mode);
  if (rule === undefined) return undefined;
  if (typeof rule === "number") return { mode, value: rule };
  return { mode, value: rule(core) ? 1 : 2 };
}
