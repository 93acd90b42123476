import { expect, test } from "vitest";
import {
  INITIAL_MODES,
  modesAfterCsi,
  modesAfterEscape,
  type TerminalModes,
} from "./terminal-modes.ts";

const ALL_ON: TerminalModes = {
  applicationCursor: true,
  applicationKeypad: true,
  bracketedPaste: true,
  alternateScreen: true,
  focusReporting: true,
  mouse: true,
};

test.each<readonly [number, keyof TerminalModes]>([
  [1, "applicationCursor"],
  [66, "applicationKeypad"],
  [2004, "bracketedPaste"],
  [47, "alternateScreen"],
  [1047, "alternateScreen"],
  [1049, "alternateScreen"],
  [1004, "focusReporting"],
  [9, "mouse"],
  [1000, "mouse"],
  [1002, "mouse"],
  [1003, "mouse"],
])("mode %i switches %s on and off, and nothing else", (number, mode) => {
  expect(modesAfterCsi(INITIAL_MODES, `?${number}h`)).toEqual({ ...INITIAL_MODES, [mode]: true });
  expect(modesAfterCsi(ALL_ON, `?${number}l`)).toEqual({ ...ALL_ON, [mode]: false });
});

test("several modes are switched at once", () => {
  const modes = modesAfterCsi(INITIAL_MODES, "?1;25;1049;;2004h");
  expect(modes).toEqual({
    ...INITIAL_MODES,
    applicationCursor: true,
    alternateScreen: true,
    bracketedPaste: true,
  });
});

test("control characters inside a control sequence do not hide it", () => {
  expect(modesAfterCsi(INITIAL_MODES, "?20\n04h").bracketedPaste).toBe(true);
});

test.each(["1h", "?h", "?1006h", "?1$p", "?1s", ">1h", "?1", "1;2H", "p", "!q"])(
  "%j switches nothing",
  (body) => {
    expect(modesAfterCsi(INITIAL_MODES, body)).toBe(INITIAL_MODES);
    expect(modesAfterCsi(ALL_ON, body)).toBe(ALL_ON);
  },
);

test("the keypad has sequences of its own", () => {
  expect(modesAfterEscape(INITIAL_MODES, "=").applicationKeypad).toBe(true);
  expect(modesAfterEscape(ALL_ON, ">").applicationKeypad).toBe(false);
  expect(modesAfterEscape(ALL_ON, "7")).toBe(ALL_ON);
});

test("a full reset switches everything off", () => {
  expect(modesAfterEscape(ALL_ON, "c")).toEqual(INITIAL_MODES);
});

test("a soft reset leaves the screen and the mouse", () => {
  expect(modesAfterCsi(ALL_ON, "!p")).toEqual({
    ...INITIAL_MODES,
    alternateScreen: true,
    mouse: true,
  });
});
