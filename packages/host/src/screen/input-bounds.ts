// What the pinned emulator does wrong with hostile output, put right where it happens.
import type { BufferLine, Core, Handled, Parameters } from "./xterm-internals.ts";

/** UTF-16 units of one cell; more marks on one letter only burn memory. */
const MAX_CELL_LENGTH = 32;

/** Most characters that one sequence can repeat; a screen and its scrollback are full of them by then. */
const MAX_REPEATED = 9_999;

/** A handler that says so makes the parser stop behind its sequence until it is asked to go on. */
const PAUSE = Promise.resolve(true);

/** Bounds what single sequences can cost, and lets the parser pause behind a costly one once `isOverdue`. */
export function boundInput(core: Core, isOverdue: () => boolean): void {
  boundCounts(core);
  pauseBehindCostly(core, isOverdue);
  printByLetter(core);
  boundCells(core._bufferService.buffers.normal.lines.get(0));
}

/** A count above what fits on the screen does the same as one that just fits, only slower. */
function boundCounts(core: Core): void {
  const handler = core._inputHandler;
  const size = core._bufferService;
  const atMost =
    (run: (params: Parameters) => Handled, limit: () => number) =>
    (params: Parameters): Handled => {
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

/** A few bytes can make a large screen be written anew many times: time is looked at behind each of them. */
function pauseBehindCostly(core: Core, isOverdue: () => boolean): void {
  const handler = core._inputHandler;
  const behind =
    <Values extends unknown[]>(run: (...values: Values) => Handled) =>
    (...values: Values): Handled => {
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
  handler.setModePrivate = behind(handler.setModePrivate.bind(handler));
  handler.resetModePrivate = behind(handler.resetModePrivate.bind(handler));
  handler.fullReset = behind(handler.fullReset.bind(handler));
  handler.screenAlignmentPattern = behind(handler.screenAlignmentPattern.bind(handler));
  const erase = handler.eraseInDisplay.bind(handler);
  handler.eraseInDisplay = behind((params: Parameters, respectProtect = false) =>
    params.params[0] === 1 ? eraseAbove(core, respectProtect) : erase(params, respectProtect),
  );
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

/** In some modes, half a wide letter is only tidied up at both ends of what is printed at once. */
function printByLetter(core: Core): void {
  const handler = core._inputHandler;
  const { coreService } = core;
  const print = handler.print.bind(handler);
  handler.print = (data, start, end) => {
    const isPlain = coreService.decPrivateModes.wraparound && !coreService.modes.insertMode;
    if (isPlain) return print(data, start, end);
    for (let at = start; at < end; at++) print(data, at, at + 1);
  };
}

const bounded = new WeakSet<object>();

/** All lines share one prototype, so once is enough for every emulator of a thread. */
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
    if (text === undefined || text.length < MAX_CELL_LENGTH)
      add.call(this, index, codePoint, width);
  };
}
