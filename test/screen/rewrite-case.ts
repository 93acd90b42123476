import type { Size } from "@nacre/contracts";
import { Emulator } from "../../packages/host/src/screen/emulator.ts";
import type { Offer } from "./compare.ts";
import type { Edit, KnownDifference, Situation } from "./known-difference.ts";
import { applySteps, SCROLLBACK_LINES } from "./own-screen.ts";
import { situationOf } from "./situation.ts";
import { isTextName, type OutputStep, type Step } from "./step.ts";

/** A case without some known differences. */
export interface Rewritten extends Offer {
  /** Those that had something to take out. */
  readonly met: ReadonlySet<KnownDifference>;
}

/** Takes known differences out of a case, so that the two should agree on what is left. */
export function rewriteCase(
  size: Size,
  steps: readonly Step[],
  known: readonly KnownDifference[],
): Rewritten {
  using emulator = new Emulator({ size, scrollback: SCROLLBACK_LINES });
  const ours: Step[] = [];
  const theirs: Step[] = [];
  const met = new Set<KnownDifference>();
  const past: Step[] = [];
  for (const step of steps.flatMap(letters)) {
    const moment = { step, bytes: step.bytes ?? "", before: situationOf(emulator), past };
    const rewritings = known.flatMap((difference) => {
      const rewriting = difference.rewrite(moment);
      if (rewriting) met.add(difference);
      return rewriting ?? [];
    });
    const own = rewritings.map((one) => one.ours ?? {});
    const head = headOf(step, own);
    applySteps(emulator, head);
    const tail = tailOf(step, own, situationOf(emulator));
    applySteps(emulator, [tail]);
    ours.push(...head, tail);
    const after = situationOf(emulator);
    const others = rewritings.map(({ theirs: edit = {} }) =>
      typeof edit === "function" ? edit(after) : edit,
    );
    theirs.push(...headOf(step, others), tailOf(step, others, after));
    past.push(step);
  }
  return { size, ours, theirs, met };
}

/** Of several that replace a step, the first does. */
function headOf(step: Step, edits: readonly Edit[]): readonly Step[] {
  const { name } = step;
  const first = { name, bytes: edits.map((edit) => edit.first ?? "").join("") };
  const instead = edits.find((edit) => edit.instead !== undefined)?.instead;
  return [first, instead === undefined ? step : { name, bytes: instead }];
}

function tailOf({ name }: Step, edits: readonly Edit[], after: Situation): OutputStep {
  const tails = edits.map(({ last = "" }) => (typeof last === "string" ? last : last(after)));
  return { name, bytes: tails.join("") };
}

const MARKS = /^\p{M}$/u;

/** Text is taken letter by letter, because something can happen at each. */
function letters(step: Step): readonly Step[] {
  if (step.size || !isTextName(step.name)) return [step];
  return Array.from(step.bytes, (bytes) => ({
    name: MARKS.test(bytes) ? "mark" : step.name,
    bytes,
  }));
}
