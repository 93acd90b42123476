import { widthOf } from "./cells.ts";
import type { TextEmulator } from "./text-emulator.ts";
import type { Csi } from "./vt-parser.ts";
import { selectGraphicRendition } from "./text-style.ts";

type CsiFunction = (emulator: TextEmulator, csi: Csi) => void;

/** By prefix, intermediates and final character; any other does nothing. */
export const CSI_FUNCTIONS: ReadonlyMap<string, CsiFunction> = new Map<string, CsiFunction>([
  ["m", (emulator, csi) => selectStyle(emulator, csi)],
  ["A", (emulator, csi) => moveUp(emulator, csi.count(0))],
  ["B", (emulator, csi) => moveDown(emulator, csi.count(0))],
  ["C", (emulator, csi) => emulator.moveToColumn(emulator.column + csi.count(0))],
  ["D", (emulator, csi) => emulator.moveToColumn(emulator.column - csi.count(0))],
  ["E", (emulator, csi) => moveDown(emulator, csi.count(0), 0)],
  ["F", (emulator, csi) => moveUp(emulator, csi.count(0), 0)],
  ["G", (emulator, csi) => emulator.moveToColumn(csi.count(0) - 1)],
  ["H", moveTo],
  ["I", tabForward],
  ["J", eraseInDisplay],
  ["K", eraseInLine],
  ["L", (emulator, csi) => insertLines(emulator, csi.count(0))],
  ["M", (emulator, csi) => deleteLines(emulator, csi.count(0))],
  ["P", (emulator, csi) => editRow(emulator, "remove", csi.count(0))],
  ["S", ({ screen }, csi) => screen.scrollUp(screen.top, csi.count(0))],
  ["T", scrollDown],
  ["X", eraseCharacters],
  ["Z", tabBackward],
  ["@", (emulator, csi) => editRow(emulator, "insert", csi.count(0))],
  ["`", (emulator, csi) => emulator.moveToColumn(csi.count(0) - 1)],
  ["a", (emulator, csi) => emulator.moveToColumn(emulator.column + csi.count(0))],
  ["b", repeatCharacter],
  ["d", (emulator, csi) => emulator.moveToRow(csi.count(0) - 1)],
  ["e", (emulator, csi) => moveDownFreely(emulator, csi.count(0))],
  ["f", moveTo],
  ["g", clearTabStops],
  ["h", (emulator, csi) => setModes(emulator, csi, true)],
  ["l", (emulator, csi) => setModes(emulator, csi, false)],
  ["r", setRegion],
  ["s", (emulator) => emulator.saveCursor()],
  ["u", (emulator) => emulator.restoreCursor()],
  ["?h", (emulator, csi) => setPrivateModes(emulator, csi, true)],
  ["?l", (emulator, csi) => setPrivateModes(emulator, csi, false)],
  // DECSED and DECSEL spare protected characters only, and none is protected.
  ["?J", eraseInDisplay],
  ["?K", eraseInLine],
  ["!p", (emulator) => emulator.softReset()],
]);

function selectStyle(emulator: TextEmulator, csi: Csi): void {
  const { isStyled, pen } = emulator;
  emulator.selectVisibility(csi);
  if (isStyled) pen.style = selectGraphicRendition(pen.style, csi);
}

/** A margin stops only a cursor that was inside of it. */
function moveUp(emulator: TextEmulator, count: number, column = emulator.column): void {
  const { cursor, top } = emulator.screen;
  cursor.row = Math.max(cursor.row - count, cursor.row < top ? 0 : top);
  cursor.column = column;
}

function moveDown(emulator: TextEmulator, count: number, column = emulator.column): void {
  const { cursor, bottom } = emulator.screen;
  const last = cursor.row > bottom ? emulator.size.rows - 1 : bottom;
  cursor.row = Math.min(cursor.row + count, last);
  cursor.column = column;
}

/** Only origin mode confines it to the margins. */
function moveDownFreely(emulator: TextEmulator, count: number): void {
  const { cursor, bottom } = emulator.screen;
  const last = emulator.modes.isOrigin ? bottom : emulator.size.rows - 1;
  cursor.row = Math.min(cursor.row + count, last);
  cursor.column = emulator.column;
}

function moveTo(emulator: TextEmulator, csi: Csi): void {
  emulator.moveToRow(csi.count(0) - 1);
  emulator.moveToColumn(csi.count(1) - 1);
}

function tabForward(emulator: TextEmulator, csi: Csi): void {
  const last = emulator.size.cols - 1;
  for (let count = csi.count(0); count > 0 && emulator.column < last; count--) {
    emulator.moveToColumn(emulator.tabStops.after(emulator.column));
  }
}

function tabBackward(emulator: TextEmulator, csi: Csi): void {
  for (let count = csi.count(0); count > 0 && emulator.column > 0; count--) {
    emulator.moveToColumn(emulator.tabStops.before(emulator.column));
  }
}

function clearTabStops(emulator: TextEmulator, csi: Csi): void {
  if (csi.number(0, 0) === 0) emulator.tabStops.clear(emulator.column);
  if (csi.number(0, 0) === 3) emulator.tabStops.clearAll();
}

function eraseInDisplay(emulator: TextEmulator, csi: Csi): void {
  const { screen } = emulator;
  const { row, column } = screen.cursor;
  const kind = csi.number(0, 0);
  const isHome = emulator.modes.isHomed && row === 0 && column === 0;
  if (kind === 2 || kind === 3 || (kind === 0 && isHome)) {
    screen.finish();
  } else if (kind === 0) {
    screen.erase(row, column, Infinity);
    screen.eraseRows(row + 1, emulator.size.rows);
  } else if (kind === 1) {
    screen.eraseRows(0, row);
    screen.erase(row, 0, emulator.column + 1);
  }
}

/** In pending wrap there is nothing to the right of the cursor. */
function eraseInLine(emulator: TextEmulator, csi: Csi): void {
  const { screen } = emulator;
  const { row, column } = screen.cursor;
  const kind = csi.number(0, 0);
  if (kind === 0) screen.erase(row, column, Infinity);
  else if (kind === 1) screen.erase(row, 0, emulator.column + 1);
  else if (kind === 2) screen.erase(row, 0, Infinity);
}

function eraseCharacters(emulator: TextEmulator, csi: Csi): void {
  const { screen, column } = emulator;
  const end = column + csi.count(0);
  screen.cursor.column = column;
  screen.erase(screen.cursor.row, column, end < emulator.size.cols ? end : Infinity);
}

function editRow(emulator: TextEmulator, edit: "insert" | "remove", count: number): void {
  const { screen, column, size } = emulator;
  screen.cursor.column = column;
  screen.row[edit](column, Math.min(count, size.cols - column), size.cols);
}

function insertLines({ screen }: TextEmulator, count: number): void {
  const { cursor, top, bottom } = screen;
  if (cursor.row < top || cursor.row > bottom) return;
  screen.scrollDown(cursor.row, count);
  cursor.column = 0;
}

function deleteLines({ screen }: TextEmulator, count: number): void {
  const { cursor, top, bottom } = screen;
  if (cursor.row < top || cursor.row > bottom) return;
  screen.scrollUp(cursor.row, count);
  cursor.column = 0;
}

/** With more parameters this is mouse highlight tracking. */
function scrollDown({ screen }: TextEmulator, csi: Csi): void {
  if (csi.length === 1) screen.scrollDown(screen.top, csi.count(0));
}

/** REP, up to the end of the row: seven bytes must not make thousands of lines. */
function repeatCharacter(emulator: TextEmulator, csi: Csi): void {
  const { screen, size } = emulator;
  const { column } = screen.cursor;
  if (column === 0) return;
  const codePoint = screen.row.codePointAt(column - 1);
  const width = widthOf(codePoint);
  const room = column < size.cols ? size.cols - column : size.cols;
  const count = Math.min(csi.count(0), Math.floor(room / width));
  const text = String.fromCodePoint(codePoint);
  if (width === 1 && text.length === 1) emulator.handleText(text.repeat(count));
  else for (let done = 0; done < count; done++) emulator.handleCharacter(codePoint);
}

function setRegion(emulator: TextEmulator, csi: Csi): void {
  const { screen, size } = emulator;
  const top = csi.count(0) - 1;
  const bottom = Math.min(csi.number(1, 0) || size.rows, size.rows) - 1;
  if (top >= bottom) return;
  screen.top = top;
  screen.bottom = bottom;
  goHome(emulator);
}

function goHome(emulator: TextEmulator): void {
  emulator.moveToRow(0);
  emulator.moveToColumn(0);
}

function setModes(emulator: TextEmulator, csi: Csi, isOn: boolean): void {
  for (let at = 0; at < csi.length; at++) {
    if (csi.number(at, 0) === 4) emulator.modes.isInsert = isOn;
  }
}

function setPrivateModes(emulator: TextEmulator, csi: Csi, isOn: boolean): void {
  for (let at = 0; at < csi.length; at++) setPrivateMode(emulator, csi.number(at, 0), isOn);
}

function setPrivateMode(emulator: TextEmulator, mode: number, isOn: boolean): void {
  switch (mode) {
    case 6:
      emulator.modes.isOrigin = isOn;
      goHome(emulator);
      break;
    case 7:
      emulator.modes.isAutowrap = isOn;
      break;
    case 47:
    case 1047:
      if (isOn) emulator.enterAlternate(false);
      else emulator.screens.leaveAlternate();
      break;
    case 1048:
      if (isOn) emulator.saveCursor();
      else emulator.restoreCursor();
      break;
    case 1049:
      if (isOn) emulator.enterAlternate(true);
      else {
        emulator.screens.leaveAlternate();
        emulator.restoreCursor();
      }
      break;
  }
}
