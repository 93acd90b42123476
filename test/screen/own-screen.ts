import type { Size } from "@nacre/contracts";
import { readCells } from "../../packages/host/src/screen/cell.ts";
import { Emulator } from "../../packages/host/src/screen/emulator.ts";
import { renderScreen } from "../../packages/host/src/screen/render-screen.ts";
import { EmulatorInputFilter } from "../../packages/host/src/shell/emulator-input-filter.ts";
import { type DrawnScreen, spellLook, trimLines, trimRow } from "./drawn-screen.ts";
import type { Step } from "./step.ts";

/** Lines above the screen, more than any case needs. */
export const SCROLLBACK_LINES = 200;

interface PrintedRun {
  readonly text: string;
  readonly fg?: string | number;
  readonly bg?: string | number;
  readonly attributes?: readonly string[];
}

/** Draws the steps on an empty screen of this size, on the way that output takes in a terminal. */
export function drawOwn(size: Size, steps: readonly Step[]): DrawnScreen {
  using emulator = new Emulator({ size, scrollback: SCROLLBACK_LINES });
  applySteps(emulator, steps);
  return drawn(emulator);
}

/** The text with all that has left the screen, by lines, whatever the screen made of them. */
export function ownLines(size: Size, steps: readonly Step[]): readonly string[] {
  using emulator = new Emulator({ size, scrollback: SCROLLBACK_LINES });
  applySteps(emulator, steps);
  const { lines: rows } = emulator.core._bufferService.buffers.normal;
  const lines: string[] = [];
  for (let row = 0; row < rows.length; row++) {
    const line = rows.get(row);
    if (!line) continue;
    const text = readCells(line, line.length)
      .map((cell) => cell.text || " ")
      .join("");
    if (line.isWrapped) lines.push((lines.pop() ?? "") + text);
    else lines.push(text);
  }
  return trimLines(lines);
}

/** Applies steps to an emulator that may have drawn before. */
export function applySteps(emulator: Emulator, steps: readonly Step[]): void {
  const view = new EmulatorInputFilter();
  for (const step of steps) {
    if (step.size) emulator.resize(step.size);
    else emulator.writeAll(view.push(new TextEncoder().encode(step.bytes)));
  }
}

function drawn(emulator: Emulator): DrawnScreen {
  const {
    content = "",
    cursor,
    alternate,
  } = renderScreen(emulator, { sequence: 0, format: "cells" });
  const rows: PrintedRun[][] = JSON.parse(content);
  return {
    rows: rows.map((runs) =>
      trimRow(
        runs.flatMap(({ text, fg, bg, attributes = [] }) =>
          Array.from(text, (character) => ({
            character,
            look: spellLook(character, { fg, bg, attributes }),
          })),
        ),
      ),
    ),
    cursor,
    alternate,
  };
}
