// Fixes for what the pinned xterm.js does wrong with hostile output.
import type { Size } from "@nacre/contracts";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import type xterm from "@xterm/headless";
import type { WorkBudget } from "./work-budget.ts";
import {
  BLANK_PEN,
  type BufferLine,
  type Core,
  coreOf,
  type CsiParameters,
  type HandlerResult,
  type LineList,
  type ScreenBuffer,
} from "./xterm-internals.ts";

/** The name of our Unicode rules in xterm.js. */
const VERSION = "nacre";

/** Zero width: joins the character before. */
const JOINS = 1;

let rules: xterm.IUnicodeVersionProvider | undefined;

/** Unicode 11 widths. */
export function useCharacterWidths(terminal: xterm.Terminal): void {
  rules ??= joinMarks(unicode11Rules(terminal));
  terminal.unicode.register(rules);
  terminal.unicode.activeVersion = VERSION;
}

/** 0, 1 or 2 columns. */
export const characterWidth = (codePoint: number): number => rules?.wcwidth(codePoint) ?? 1;

/** The add-on exposes its rules only to terminals it is loaded into. */
function unicode11Rules(terminal: xterm.Terminal): xterm.IUnicodeVersionProvider {
  let found: xterm.IUnicodeVersionProvider | undefined;
  const unicode: xterm.IUnicodeHandling = {
    versions: [],
    activeVersion: "",
    register: (provider) => {
      found = provider;
    },
  };
  // The add-on uses only this property.
  new Unicode11Addon().activate(Object.create(terminal, { unicode: { value: unicode } }));
  if (!found) throw new Error("the rules of Unicode 11 are missing");
  return found;
}

/** A mark always joins the character before the cursor; otherwise it would take a column, or depend on chunking. */
function joinMarks(base: xterm.IUnicodeVersionProvider): xterm.IUnicodeVersionProvider {
  return {
    version: VERSION,
    wcwidth: (codePoint) => base.wcwidth(codePoint),
    charProperties: (codePoint, preceding) =>
      widthIn(preceding) === 0 && base.wcwidth(codePoint) === 0
        ? JOINS
        : base.charProperties(codePoint, preceding),
  };
}

const widthIn = (properties: number): number => (properties >> 1) & 3;

/** UTF-16 units per cell; more marks only cost memory. */
const MAX_CELL_LENGTH = 32;

/** Repetitions (REP) beyond this have filled screen and scrollback. */
const MAX_REPEATED = 9_999;

/** Cost of moving a line, in cleared cells. */
const CELLS_PER_MOVE = 8;

/** Cost of printing a character, in cleared cells. */
const CELLS_PER_CHARACTER = 16;

/** A promise makes the parser stop after the sequence until it is resumed. */
const PAUSE = Promise.resolve(true);

/** DECSET 47, 1047 and 1049 switch screens and redraw one. */
const SCREEN_MODES = new Set([47, 1047, 1049]);

export interface InputBounds {
  readonly budget: WorkBudget;
  /** Whether to pause after the next costly sequence. */
  readonly isOverdue: () => boolean;
}

/** Bounds the cost of each sequence and of all together, and lets the parser pause after a costly one. */
export function boundInput(core: Core, { budget, isOverdue }: InputBounds): void {
  boundCounts(core);
  chargeForCostly(core, budget);
  pauseBehindCostly(core, isOverdue);
  boundPrint(core, budget);
  boundCells(core._bufferService.buffers.normal.lines.get(0));
}

/** Skips sequences beyond the budget: a few bytes can redraw a large screen. */
function chargeForCostly(core: Core, budget: WorkBudget): void {
  const handler = core._inputHandler;
  const size = core._bufferService;
  const paid =
    <Values extends unknown[]>(
      run: (...values: Values) => HandlerResult,
      cost: (...values: Values) => number,
    ) =>
    (...values: Values): HandlerResult =>
      budget.spend(cost(...values)) ? run(...values) : true;
  const area = (): number => size.cols * size.rows;
  // Each inserted or deleted line moves all lines below it.
  const lines = ({ params }: CsiParameters): number =>
    Math.min(params[0] || 1, size.rows) * (size.cols + CELLS_PER_MOVE * size.rows);
  handler.insertLines = paid(handler.insertLines, lines);
  handler.deleteLines = paid(handler.deleteLines, lines);
  handler.scrollUp = paid(handler.scrollUp, lines);
  handler.scrollDown = paid(handler.scrollDown, lines);
  handler.scrollLeft = paid(handler.scrollLeft, area);
  handler.scrollRight = paid(handler.scrollRight, area);
  handler.insertColumns = paid(handler.insertColumns, area);
  handler.deleteColumns = paid(handler.deleteColumns, area);
  const letters = ({ params }: CsiParameters): number =>
    Math.min(params[0] || 1, MAX_REPEATED) * CELLS_PER_CHARACTER;
  handler.repeatPrecedingCharacter = paid(handler.repeatPrecedingCharacter, letters);
  const modes = ({ params, length }: CsiParameters): number =>
    params.subarray(0, length).some((mode) => SCREEN_MODES.has(mode)) ? area() : 0;
  handler.setModePrivate = paid(handler.setModePrivate.bind(handler), modes);
  handler.resetModePrivate = paid(handler.resetModePrivate.bind(handler), modes);
  handler.fullReset = paid(handler.fullReset.bind(handler), () => 2 * area());
  handler.screenAlignmentPattern = paid(handler.screenAlignmentPattern.bind(handler), area);
  const eraseBelow = handler.eraseInDisplay.bind(handler);
  const erase = (params: CsiParameters, respectProtect = false): HandlerResult =>
    params.params[0] === 1 ? eraseAbove(core, respectProtect) : eraseBelow(params, respectProtect);
  const erased = ({ params }: CsiParameters): number => {
    const { y } = size.buffers.active;
    if (params[0] === 1) return (y + 1) * size.cols;
    return params[0] === 0 ? (size.rows - y) * size.cols : area();
  };
  handler.eraseInDisplay = paid(erase, (params) => erased(params));
}

/** A count beyond the screen has the same effect as one that just fits, only slower. */
function boundCounts(core: Core): void {
  const handler = core._inputHandler;
  const size = core._bufferService;
  const atMost =
    (run: (params: CsiParameters) => HandlerResult, limit: () => number) =>
    (params: CsiParameters): HandlerResult => {
      const [count = 0] = params.params;
      params.params[0] = Math.min(count, limit());
      return run(params);
    };
  const rows = (): number => size.rows;
  const cols = (): number => size.cols;
  handler.insertLines = atMost(handler.insertLines.bind(handler), rows);
  handler.deleteLines = atMost(handler.deleteLines.bind(handler), rows);
  handler.scrollUp = atMost(handler.scrollUp.bind(handler), rows);
  handler.scrollDown = atMost(handler.scrollDown.bind(handler), rows);
  handler.insertChars = atMost(handler.insertChars.bind(handler), cols);
  handler.deleteChars = atMost(handler.deleteChars.bind(handler), cols);
  handler.eraseChars = atMost(handler.eraseChars.bind(handler), cols);
  handler.scrollLeft = atMost(handler.scrollLeft.bind(handler), cols);
  handler.scrollRight = atMost(handler.scrollRight.bind(handler), cols);
  handler.insertColumns = atMost(handler.insertColumns.bind(handler), cols);
  handler.deleteColumns = atMost(handler.deleteColumns.bind(handler), cols);
  handler.cursorForwardTab = atMost(handler.cursorForwardTab.bind(handler), cols);
  handler.cursorBackwardTab = atMost(handler.cursorBackwardTab.bind(handler), cols);
  const repeat = handler.repeatPrecedingCharacter.bind(handler);
  handler.repeatPrecedingCharacter = atMost(repeat, () => MAX_REPEATED);
}

/** Checks the deadline after each sequence that can redraw a large screen. */
function pauseBehindCostly(core: Core, isOverdue: () => boolean): void {
  const handler = core._inputHandler;
  const behind =
    <Values extends unknown[]>(run: (...values: Values) => HandlerResult) =>
    (...values: Values): HandlerResult => {
      const handled = run(...values);
      return isOverdue() ? PAUSE : handled;
    };
  handler.insertLines = behind(handler.insertLines);
  handler.deleteLines = behind(handler.deleteLines);
  handler.scrollUp = behind(handler.scrollUp);
  handler.scrollDown = behind(handler.scrollDown);
  handler.scrollLeft = behind(handler.scrollLeft);
  handler.scrollRight = behind(handler.scrollRight);
  handler.insertColumns = behind(handler.insertColumns);
  handler.deleteColumns = behind(handler.deleteColumns);
  handler.repeatPrecedingCharacter = behind(handler.repeatPrecedingCharacter);
  handler.setModePrivate = behind(handler.setModePrivate);
  handler.resetModePrivate = behind(handler.resetModePrivate);
  handler.fullReset = behind(handler.fullReset);
  handler.screenAlignmentPattern = behind(handler.screenAlignmentPattern);
  handler.eraseInDisplay = behind(handler.eraseInDisplay);
}

/** The pinned version looks for the next line in the wrong place, and crashes when there is none. */
function eraseAbove(core: Core, respectProtect: boolean): true {
  const handler = core._inputHandler;
  const { cols, rows, buffers } = core._bufferService;
  handler._restrictCursor(cols);
  const { x, y, ybase, lines } = buffers.active;
  handler._eraseInBufferLine(y, 0, x + 1, true, respectProtect);
  const next = y + 1 < rows && x + 1 >= cols ? lines.get(ybase + y + 1) : undefined;
  if (next) next.isWrapped = false;
  for (let row = y - 1; row >= 0; row--) handler._resetBufferLine(row, respectProtect);
  return true;
}

/** The screen being printed to: lines do not know theirs. */
let printing: { readonly core: Core; readonly budget: WorkBudget } | undefined;

/** In some modes, xterm.js repairs half a wide character only at both ends of a print call. */
function boundPrint(core: Core, budget: WorkBudget): void {
  const handler = core._inputHandler;
  const { coreService } = core;
  const print = handler.print.bind(handler);
  const own = { core, budget };
  handler.print = (data, start, end) => {
    printing = own;
    const isPlain = coreService.decPrivateModes.wraparound && !coreService.modes.insertMode;
    if (isPlain) return print(data, start, end);
    for (let at = start; at < end; at++) print(data, at, at + 1);
  };
}

const bounded = new WeakSet<object>();

/** All lines share one prototype: once per thread is enough. */
function boundCells(line: BufferLine | undefined): void {
  if (!line) return;
  const prototype: BufferLine = Object.getPrototypeOf(line);
  if (bounded.has(prototype)) return;
  bounded.add(prototype);
  const add = prototype.addCodepointToCell;
  prototype.addCodepointToCell = function addBounded(index, codePoint, width): void {
    // A mark in the first column has nothing to join.
    if (index < 0) return;
    const text = this._combined[index];
    if (text === undefined && printing && !printing.budget.takeMark(printing.core)) return;
    if (text === undefined || text.length < MAX_CELL_LENGTH)
      add.call(this, index, codePoint, width);
  };
}

/** Resizes without the bugs of the pinned version. */
export function resizeTerminal(terminal: xterm.Terminal, { cols, rows }: Size): void {
  const { _bufferService } = coreOf(terminal);
  const { normal, alt } = _bufferService.buffers;
  unrollLineList(normal.lines);
  terminal.resize(cols, rows);
  unrollLineList(normal.lines);
  // An unused alternate buffer would keep room for more lines than it has rows, and scroll into it.
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
  for (const buffer of [normal, alt]) fillRows(buffer, rows);
}

/** Some ways to a smaller size leave a screen that reaches below the last line. */
function fillRows(buffer: ScreenBuffer, rows: number): void {
  const { lines } = buffer;
  if (lines.length === 0) return;
  const wanted = Math.min(buffer.ybase + rows, lines.maxLength);
  while (lines.length < wanted) lines.push(buffer.getBlankLine(BLANK_PEN));
  buffer.ybase = Math.min(buffer.ybase, lines.length - rows);
  buffer.ydisp = buffer.ybase;
}

/** A resize that drops lines at the top of a circular list that starts elsewhere makes them reappear at the bottom. */
function unrollLineList(lines: LineList): void {
  const all = Array.from({ length: lines.maxLength }, (_, at) =>
    at < lines.length ? lines.get(at) : undefined,
  );
  lines._array = all;
  lines._startIndex = 0;
}
