import { expect, test } from "vitest";
import { formatHexColor, paletteColor } from "./palette.ts";

test("the palette has xterm's cube and greys", () => {
  expect([16, 21, 46, 67, 196, 231, 232, 255].map(paletteColor).map(formatHexColor)).toEqual([
    "#000000",
    "#0000ff",
    "#00ff00",
    "#5f87af",
    "#ff0000",
    "#ffffff",
    "#080808",
    "#eeeeee",
  ]);
});
