// Fixes for what the pinned xterm.js does wrong with hostile output.
import type { Size } from "@nacre/contracts";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import type xterm from "@xterm/headless";
import type { WorkBudget } from "./work-budget.ts";
import {
  BLANK_PEN,
  type BufferLine,
  CHARACTER_MOVES,
  COLUMN_MOVES,
  type Core,
  coreOf,
  type CsiParameters,
  LINE_MOVES,
  type LineList,
  type ScreenBuffer,
  type SequenceName,
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

/** Bounds what single sequences can cost and all of them together, and lets the parser pause behind a costly one. */
export function boundInput(core: Core, bounds: InputBounds): void {
  boundCounts(core);
  boundCostly(core, bounds);
  boundPrint(core, bounds.budget);
  boundCells(core._bufferService.buffers.normal.lines.get(0));
}

/** A count above what fits on the screen does the same as one that just fits, only slower. */
function boundCounts({ _inputHandler: handler, _bufferService: size }: Core): void {
  const bound = (name: SequenceName, limit: () => number): void => {
    const run = handler[name].bind(handler);
    handler[name] = (params) => {
      const [count = 0] = params.params;
      params.params[0] = Math.min(count, limit());
      return run(params);
    };
  };
  for (const name of LINE_MOVES) bound(name, () => size.rows);
  for (const name of [...COLUMN_MOVES, ...CHARACTER_MOVES]) bound(name, () => size.cols);
  bound("repeatPrecedingCharacter", () => MAX_REPEATED);
}

/** A few bytes can make a large screen be written anew: what nobody paid for is left out, and time is looked at behind each. */
function boundCostly(core: Core, { budget, isOverdue }: InputBounds): void {
  const handler = core._inputHandler;
  const size = core._bufferService;
  const charge = (name: SequenceName, cost: (params: CsiParameters) => number): void => {
    const run = handler[name].bind(handler);
    handler[name] = (params, respectProtect) => {
      const handled = budget.spend(cost(params)) ? run(params, respectProtect) : true;
      return isOverdue() ? PAUSE : handled;
    };
  };
  const area = (): number => size.cols * size.rows;
  // Each line is a new one, and for each all below it move.
  const lines = ({ params }: CsiParameters): number =>
    Math.min(params[0] || 1, size.rows) * (size.cols + CELLS_PER_MOVE * size.rows);
  for (const name of LINE_MOVES) charge(name, lines);
  for (const name of COLUMN_MOVES) charge(name, area);
  charge(
    "repeatPrecedingCharacter",
    ({ params }) => Math.min(params[0] || 1, MAX_REPEATED) * CELLS_PER_CHARACTER,
  );
  const modes = ({ params, length }: CsiParameters): number =>
    params.subarray(0, length).some((mode) => SCREEN_MODES.has(mode)) ? area() : 0;
  charge("setModePrivate", modes);
  charge("resetModePrivate", modes);
  charge("fullReset", () => 2 * area());
  charge("screenAlignmentPattern", area);
  const eraseBelow = handler.eraseInDisplay.bind(handler);
  handler.eraseInDisplay = (params, respectProtect = false) =>
    params.params[0] === 1 ? eraseAbove(core, respectProtect) : eraseBelow(params, respectProtect);
  charge("eraseInDisplay", ({ params }) => {
    const { y } = size.buffers.active;
    if (params[0] === 1) return (y + 1) * size.cols;
    return params[0] === 0 ? (size.rows - y) * size.cols : area();
  });
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
