import { expect, test } from "vitest";
import { renderVisibleScreen } from "./visible-screen.ts";

const screen = (...rows: readonly (readonly object[])[]) =>
  renderVisibleScreen({ text: "as it is", content: JSON.stringify(rows) });

test("what people cannot see on a screen is blank", () => {
  expect(
    screen(
      [
        { text: "ls", width: 2, fg: 2 },
        { text: "rm -rf", width: 6, attributes: ["hidden"] },
        { text: "x", width: 1 },
      ],
      [
        { text: "evil", width: 4, fg: 15, bg: "#fffffe" },
        { text: "日本", width: 4, fg: "#ff0000", bg: 15 },
      ],
      [],
    ),
  ).toBe("ls      x\n    日本\n");
});

test("a screen without cells is its text, without what only machines see", () => {
  expect(renderVisibleScreen({ text: "a\u200Bb", content: undefined })).toBe("ab");
});
