import type { Size } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCellStyle, readRuns } from "./cell.ts";
import { Emulator } from "./emulator.ts";
import { renderAnsi } from "./render-ansi.ts";
import { charsetName } from "./snapshot.ts";
import { randomOutput, randomSize } from "./testing/random-output.ts";
import type { ScreenBuffer } from "./xterm-internals.ts";

/** Everything a viewer can see or notice later. */
function shown({ core }: Emulator): unknown {
  const { buffers, cols, rows } = core._bufferService;
  const { coreService, coreMouseService, optionsService, _charsetService } = core;
  const { cursorStyle, cursorBlink, synchronizedOutput: _, ...modes } = coreService.decPrivateModes;
  const { x, y, scrollTop, scrollBottom, tabs, ybase } = buffers.active;
  const pen = core._inputHandler._curAttrData;
  const { charset, glevel, _charsets } = _charsetService;
  return {
    size: { cols, rows },
    cursor: { x, y, ybase },
    margins: { scrollTop, scrollBottom },
    modes,
    style: cursorStyle && [cursorStyle, cursorBlink === true],
    tabs: Object.keys(tabs).filter((tab) => Number(tab) < cols),
    lines: [linesOf(buffers.normal, cols), linesOf(buffers.alt, cols)],
    saved: savedOf(buffers.active, { cols, rows }),
    savedBelow: buffers.active === buffers.alt && savedOf(buffers.normal, { cols, rows }),
    alternate: buffers.active === buffers.alt,
    hidden: coreService.isCursorHidden,
    insert: coreService.modes.insertMode,
    mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding],
    options: [optionsService.options.cursorBlink, optionsService.options.convertEol],
    pen: decodeCellStyle(pen.fg, pen.bg, pen.extended.ext),
    charset: [charsetName(charset), glevel],
    charsets: [0, 1, 2, 3].filter((at) => at !== glevel).map((at) => charsetName(_charsets[at])),
  };
}

function linesOf({ lines }: ScreenBuffer, cols: number): unknown {
  return Array.from({ length: lines.length }, (_, at) => {
    const line = lines.get(at);
    const runs = line && readRuns(line, cols).map(({ text, style }) => [text, style]);
    // Nothing can say that the first line goes on from one that is gone.
    return { runs, isWrapped: at > 0 && line?.isWrapped };
  });
}

/** Where the cursor would come back to. */
const savedOf = (buffer: ScreenBuffer, { cols, rows }: Size): unknown => [
  Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1),
  Math.min(buffer.savedX, cols - 1),
  decodeCellStyle(buffer.savedCurAttrData.fg, buffer.savedCurAttrData.bg, 0),
];

/** On a single row a line that wraps early scrolls away before it can be put right. */
const sizes = randomSize.filter(({ rows }) => rows > 1);

test("escape sequences restore everything that can be seen", () => {
  fc.assert(
    fc.property(sizes, randomOutput({ maxLength: 60 }), (size, output) => {
      using original = new Emulator({ size, scrollback: 5 });
      original.write(output);
      using copy = new Emulator({ size, scrollback: 5 });
      copy.write(new TextEncoder().encode(renderAnsi(original)));
      expect(shown(copy)).toEqual(shown(original));
    }),
    { numRuns: 300 },
  );
});
