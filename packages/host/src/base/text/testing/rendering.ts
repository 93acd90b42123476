/** What the tests of this folder share. */
import type { Size } from "@nacre/contracts";
import type { RenderedLine } from "../rendered-line.ts";
import { TextRenderer } from "../text-renderer.ts";

/** A screen that is small enough to see what happens at its edges. */
export const SMALL_SIZE: Size = { cols: 20, rows: 5 };

/** The bytes of text, or the bytes themselves. */
export function toBytes(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? new TextEncoder().encode(input) : input;
}

/** The texts of lines. */
export function textsOf(lines: readonly RenderedLine[]): string[] {
  return lines.map((line) => line.text);
}

/** What is final after this output, and what is on the screens besides. */
export function render(
  input: string | Uint8Array,
  size: Size = SMALL_SIZE,
): { final: string[]; current: string[] } {
  const renderer = new TextRenderer({ size });
  renderer.write(toBytes(input), 1);
  return { final: textsOf(renderer.takeFinal()), current: textsOf(renderer.current()) };
}
