import { decodeCellStyle } from "../../packages/host/src/screen/cell.ts";
import type { Emulator } from "../../packages/host/src/screen/emulator.ts";
import { formatSgr } from "../../packages/host/src/screen/cell-style.ts";
import {
  type BufferLine,
  CELL_NUMBERS,
  COLOR,
  CONTENT,
} from "../../packages/host/src/screen/xterm-internals.ts";
import type { Situation } from "./known-difference.ts";

/** How an emulator stands. */
export function situationOf({ core }: Emulator): Situation {
  const { cols, rows, buffers } = core._bufferService;
  const { x, y, scrollTop, scrollBottom } = buffers.active;
  const { origin, wraparound } = core.coreService.decPrivateModes;
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  const lineAt = (row: number): BufferLine | undefined =>
    buffers.active.lines.get(buffers.active.ybase + row);
  return {
    cols,
    rows,
    column: x,
    row: y,
    top: scrollTop,
    bottom: scrollBottom,
    alternate: buffers.active === buffers.alt,
    origin,
    autowrap: wraparound,
    insert: core.coreService.modes.insertMode,
    hasGround: (bg & (COLOR.mode | COLOR.value)) !== 0,
    pen: formatSgr(decodeCellStyle(fg, bg, extended.ext)),
    halves: halvesOf(lineAt(y), cols),
    nextHalves: halvesOf(y === scrollBottom ? undefined : lineAt(y + 1), cols),
  };
}

function halvesOf(line: BufferLine | undefined, cols: number): ReadonlySet<number> {
  const halves = new Set<number>();
  for (let column = 0; column < cols; column++) {
    const content = line?._data[column * CELL_NUMBERS] ?? 0;
    if (content >>> CONTENT.widthShift === 2) halves.add(column + 1);
  }
  return halves;
}
