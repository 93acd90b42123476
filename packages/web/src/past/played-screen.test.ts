import { Screen } from "@nacre/contracts";
import { expect, test } from "vitest";
import { type DrawnScreen, PlayedScreen } from "./screen-box.tsx";
import { entries } from "./testing/entries.ts";

/** A screen that draws when the test says so, in order, as the emulator does. */
class LateScreen implements DrawnScreen {
  readonly done: string[] = [];
  readonly #waiting: (() => void)[] = [];

  write(data: string | Uint8Array, drawn?: () => void): void {
    const text = typeof data === "string" ? data : new TextDecoder().decode(data);
    this.#waiting.push(() => {
      if (text !== "") this.done.push(text);
      drawn?.();
    });
  }

  resize({ cols, rows }: { readonly cols: number; readonly rows: number }): void {
    this.done.push(`${cols}x${rows}`);
  }

  draw(): void {
    for (const draw of this.#waiting.splice(0)) draw();
  }
}

test("sizes and screens take their turn behind what still waits to be drawn", () => {
  const late = new LateScreen();
  const played = new PlayedScreen(late);
  for (const entry of entries([
    { type: "output", data: "one", offset: 0 },
    { type: "resize", cols: 20, rows: 5 },
    { type: "output", data: "aGk=", encoding: "base64", offset: 3 },
    { type: "output", redacted: true, lengthBytes: 9, offset: 5 },
    { type: "clear" },
    { type: "exit", exitCode: 0 },
  ])) {
    played.apply(entry);
  }
  played.restore(
    Screen.parse({
      sequence: 1,
      size: { cols: 80, rows: 24 },
      format: "ansi",
      text: "then",
      content: "then",
      cursor: { row: 0, column: 0, visible: true },
      alternate: false,
      title: "",
      hash: "0".repeat(16),
    }),
  );
  expect(late.done).toEqual([]);
  expect(played.waitingBytes).toBeGreaterThan(0);
  late.draw();
  expect(late.done).toEqual([
    "one",
    "20x5",
    "hi",
    "\u001b[H\u001b[2J\u001b[3J",
    "80x24",
    "\u001bcthen",
  ]);
  expect(played.waitingBytes).toBe(0);
});
