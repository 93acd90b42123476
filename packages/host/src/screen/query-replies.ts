// Replies to queries. They consist of fixed forms and our own numbers, never of bytes from the query.
import type xterm from "@xterm/headless";
import { DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, themeColor } from "./cell-style.ts";
import type { Core } from "./xterm-internals.ts";

// DECRQM.

interface ModeReport {
  readonly mode: number;
  /** 0 unknown, 1 set, 2 reset, 3 permanently set, 4 permanently reset. */
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

/** Includes known modes that are not supported: programs wait for that answer. */
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

/** Undefined for an unknown mode. */
const reportAnsiMode = (core: Core, mode: number): ModeReport | undefined =>
  reportMode(core, mode, ANSI_MODES);

/** Undefined for an unknown mode. */
const reportPrivateMode = (core: Core, mode: number): ModeReport | undefined =>
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

const ESC = "\u001b";
const ST = `${ESC}\\`;

/** Nothing is drawn here, but programs divide by it. */
const CELL_PIXELS = { width: 8, height: 16 };

/** Longer colour queries ask for more replies than anybody gets. */
const MAX_QUESTION_LENGTH = 1024;

/** A VT100 with advanced video; the secondary attributes report a version that programs handle. */
const PRIMARY_ATTRIBUTES = `${ESC}[?1;2c`;
const SECONDARY_ATTRIBUTES = `${ESC}[>0;276;0c`;
const VERSION = `${ESC}P>|nacre${ST}`;

/**
 * Answers a program's queries; xterm.js's own replies are off. The kitty keyboard query stays unanswered, which means
 * "not supported".
 */
export function answerQueries(
  terminal: xterm.Terminal,
  core: Core,
  reply: (text: string) => void,
): void {
  const { parser } = terminal;
  const answer = (text: string | undefined): true => {
    if (text !== undefined) reply(text);
    return true;
  };
  const first = (params: readonly (number | number[])[]): number => Number(params[0] ?? 0);
  const ifZero = (params: readonly (number | number[])[], text: string): true =>
    answer(first(params) === 0 ? text : undefined);
  parser.registerCsiHandler({ final: "c" }, (params) => ifZero(params, PRIMARY_ATTRIBUTES));
  parser.registerCsiHandler({ prefix: ">", final: "c" }, (params) =>
    ifZero(params, SECONDARY_ATTRIBUTES),
  );
  parser.registerCsiHandler({ prefix: ">", final: "q" }, (params) => ifZero(params, VERSION));
  parser.registerCsiHandler({ final: "n" }, (params) =>
    answer(formatStatusReport(core, first(params))),
  );
  parser.registerCsiHandler({ prefix: "?", final: "n" }, (params) =>
    answer(first(params) === 6 ? `${ESC}[?${formatCursorPosition(core)}R` : undefined),
  );
  parser.registerCsiHandler({ intermediates: "$", final: "p" }, (params) => {
    const state = reportAnsiMode(core, first(params));
    return answer(state && `${ESC}[${state.mode};${state.value}$y`);
  });
  parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, (params) => {
    const state = reportPrivateMode(core, first(params));
    return answer(state && `${ESC}[?${state.mode};${state.value}$y`);
  });
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, (setting) =>
    answer(`${ESC}P${formatSettingReport(core, setting)}${ST}`),
  );
  parser.registerOscHandler(4, (data) => each(answerIndexedColors(data), answer));
  for (const [from, code] of [10, 11, 12].entries()) {
    parser.registerOscHandler(code, (data) => each(answerSpecialColors(data, from), answer));
  }
  // The public API for this handler requires window permissions first.
  core._inputHandler.windowOptions = ({ params }) => answer(formatWindowSize(core, params[0] ?? 0));
}

function each(texts: readonly string[], answer: (text: string) => true): true {
  for (const text of texts) answer(text);
  return true;
}

function formatStatusReport(core: Core, kind: number): string | undefined {
  if (kind === 5) return `${ESC}[0n`;
  return kind === 6 ? `${ESC}[${formatCursorPosition(core)}R` : undefined;
}

/** From 1; relative to the margins in origin mode. */
function formatCursorPosition(core: Core): string {
  const { cols, buffers } = core._bufferService;
  const { x, y, scrollTop } = buffers.active;
  const top = core.coreService.decPrivateModes.origin ? scrollTop : 0;
  return `${Math.max(0, y - top) + 1};${Math.min(x + 1, cols)}`;
}

function formatSettingReport(core: Core, setting: string): string {
  const { scrollTop, scrollBottom } = core._bufferService.buffers.active;
  switch (setting) {
    case "m":
      return "1$r0m";
    case "r":
      return `1$r${scrollTop + 1};${scrollBottom + 1}r`;
    case " q":
      return `1$r${cursorStyleCode(core)} q`;
    case '"q':
      return '1$r0"q';
    case '"p':
      return '1$r61;1"p';
    default:
      return "0$r";
  }
}

/** The DECSCUSR parameter of the present cursor. */
export function cursorStyleCode(core: Core): number {
  const { cursorStyle: style, cursorBlink } = core.coreService.decPrivateModes;
  const steady = { block: 2, underline: 4, bar: 6 }[style ?? "block"];
  return cursorBlink === true ? steady - 1 : steady;
}

/** Pairs of index and `?` (OSC 4). */
function answerIndexedColors(data: string): readonly string[] {
  if (data.length > MAX_QUESTION_LENGTH) return [];
  const parts = data.split(";");
  const answers: string[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const index = Number.parseInt(parts[at] ?? "", 10);
    if (parts[at + 1] !== "?" || !(index >= 0 && index <= 255)) continue;
    answers.push(`${ESC}]4;${index};${formatXColor(themeColor(index))}${ST}`);
  }
  return answers;
}

/** Foreground, background and cursor in this order, starting at the one named (OSC 10 to 12). */
function answerSpecialColors(data: string, from: number): readonly string[] {
  if (data.length > MAX_QUESTION_LENGTH) return [];
  return data
    .split(";")
    .map((part, at) => [part, from + at] as const)
    .filter(([part, at]) => part === "?" && at <= 2)
    .map(
      ([, at]) =>
        `${ESC}]${10 + at};${formatXColor(at === 1 ? DEFAULT_BACKGROUND : DEFAULT_FOREGROUND)}${ST}`,
    );
}

function formatXColor(color: number): string {
  const parts = [color >> 16, (color >> 8) & 0xff, color & 0xff].map((part) =>
    part.toString(16).padStart(2, "0").repeat(2),
  );
  return `rgb:${parts.join("/")}`;
}

/** XTWINOPS sizes; title and position stay unanswered. */
function formatWindowSize(core: Core, kind: number): string | undefined {
  const { cols, rows } = core._bufferService;
  const { width, height } = CELL_PIXELS;
  switch (kind) {
    case 14:
      return `${ESC}[4;${rows * height};${cols * width}t`;
    case 16:
      return `${ESC}[6;${height};${width}t`;
    case 18:
      return `${ESC}[8;${rows};${cols}t`;
    case 19:
      return `${ESC}[9;${rows};${cols}t`;
    default:
      return undefined;
  }
}
