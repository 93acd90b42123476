import type { KnownDifference } from "./known-difference.ts";
import { compare, type Offer } from "./compare.ts";
import type { ScreenCase } from "./grammar.ts";
import { ROWS_ABOVE_THE_SCREEN } from "./known-resizes.ts";
import { ownLines } from "./own-screen.ts";
import { rewriteCase } from "./rewrite-case.ts";
import type { TmuxScreen } from "./tmux-screen.ts";

/** What came out of one case. */
export type Verdict =
  | { readonly kind: "agree" }
  | { readonly kind: "known"; readonly by: readonly KnownDifference[] }
  | { readonly kind: "unknown"; readonly found: readonly string[] };

/** Draws a case with both; where they differ, finds the fewest known differences without which they do not. */
export async function judge(
  tmux: TmuxScreen,
  { size, steps }: Pick<ScreenCase, "size" | "steps">,
  known: readonly KnownDifference[],
): Promise<Verdict> {
  const found = await compare(tmux, { size, ours: steps, theirs: steps });
  if (found.length === 0) return { kind: "agree" };
  const without = async (some: readonly KnownDifference[]): Promise<readonly string[]> =>
    compare(tmux, rewriteCase(size, steps, some));
  const { met } = rewriteCase(size, steps, known);
  let needed = known.filter((one) => met.has(one));
  const left = await without(needed);
  if (left.length > 0) {
    const isMoved = await haveSameLines(tmux, rewriteCase(size, steps, needed));
    if (!isMoved) return { kind: "unknown", found: left };
    return { kind: "known", by: [...needed, ROWS_ABOVE_THE_SCREEN] };
  }
  for (const one of needed) {
    const fewer = needed.filter((other) => other !== one);
    if ((await without(fewer)).length === 0) needed = fewer;
  }
  return { kind: "known", by: needed };
}

/** Whether only the place of the text differs, after a resize. */
async function haveSameLines(tmux: TmuxScreen, { size, ours, theirs }: Offer): Promise<boolean> {
  if (!ours.some((step) => step.size)) return false;
  const lines = await tmux.drawLines(size, theirs);
  return JSON.stringify(lines) === JSON.stringify(ownLines(size, ours));
}
