import type { Size } from "@nacre/contracts";
import { lookDifferences, textDifferences } from "./drawn-screen.ts";
import { drawOwn } from "./own-screen.ts";
import type { Step } from "./step.ts";
import type { TmuxScreen } from "./tmux-screen.ts";

const ESC = "\u001b";

/** What each of the two is given; the same, unless a known difference is to be taken out. */
export interface Offer {
  readonly size: Size;
  readonly ours: readonly Step[];
  readonly theirs: readonly Step[];
}

/** Draws with both and tells what differs; empty when nothing does. */
export async function compare(
  tmux: TmuxScreen,
  { size, ours, theirs }: Offer,
): Promise<readonly string[]> {
  const found = textDifferences(drawOwn(size, ours), await tmux.draw(size, theirs));
  if (found.length > 0 || !ours.some(({ name }) => name === "SGR")) return found;
  const probe = probeOf(ours.findLast((step) => step.size)?.size ?? size);
  return lookDifferences(drawOwn(size, [...ours, ...probe]), await tmux.extend(probe));
}

/** tmux prints rows only up to the last character that was written, so one is written at each end. */
function probeOf({ cols, rows }: Size): readonly Step[] {
  const calm = `${ESC}[?6;7l${ESC}[4l${ESC}[r${ESC}(B\u000f${ESC}[m`;
  const ends = Array.from({ length: rows }, (_, row) => `${ESC}[${row + 1};${cols}H|`);
  return [{ name: "probe", bytes: calm + ends.join("") }];
}
