import { isTextName, type Step } from "./step.ts";

/** Leaves out of a case what its difference does not need, so that people can read it. */
export async function shrink(
  steps: readonly Step[],
  isWrong: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  let least = steps;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (let at = least.length - 1; at >= 0; at--) {
      for (const fewer of smaller(least, at)) {
        if (!(await isWrong(fewer))) continue;
        least = fewer;
        isSmaller = true;
        break;
      }
    }
  }
  return least;
}

function smaller(steps: readonly Step[], at: number): readonly (readonly Step[])[] {
  const step = steps[at];
  const without = steps.toSpliced(at, 1);
  if (step?.bytes === undefined || !isTextName(step.name) || step.bytes.length < 2)
    return [without];
  const letters = Array.from(step.bytes);
  return [without, steps.toSpliced(at, 1, { ...step, bytes: letters.slice(0, -1).join("") })];
}
