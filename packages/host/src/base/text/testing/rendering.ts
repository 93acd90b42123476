import type { Size } from "@nacre/contracts";
import type { RenderedLine } from "../rendered-line.ts";
import { TextRenderer } from "../text-renderer.ts";

export const SMALL_SIZE: Size = { cols: 20, rows: 5 };

export function toBytes(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? new TextEncoder().encode(input) : input;
}

export function textsOf(lines: readonly RenderedLine[]): string[] {
  return lines.map((line) => line.text);
}

/** Final lines, and what else is on the screens. */
export function render(
  input: string | Uint8Array,
  size: Size = SMALL_SIZE,
): { final: string[]; current: string[] } {
  const renderer = new TextRenderer({ size });
  renderer.write(toBytes(input), 1);
  return { final: textsOf(renderer.takeFinal()), current: textsOf(renderer.current()) };
}
