import type { Size } from "@nacre/contracts";
import { Emulator } from "../../packages/host/src/screen/emulator.ts";
import type { Situation } from "./known-difference.ts";
import { isPending } from "./moment.ts";
import { applySteps } from "./own-screen.ts";
import { situationOf } from "./situation.ts";
import { isActingName, isTextName, type Step } from "./step.ts";

/** The steps without those that meet the end of a row in a way on which terminals do not agree. */
export function ordinarySteps(size: Size, steps: readonly Step[]): readonly Step[] {
  using emulator = new Emulator({ size, scrollback: 0 });
  return steps.filter((step) => {
    const isKept = isOrdinary(step, situationOf(emulator));
    if (isKept) applySteps(emulator, [step]);
    return isKept;
  });
}

/** Only text and absolute motion follow a full row, there is room for a backspace, and no colour scrolls in by wrapping. */
function isOrdinary({ name, bytes = "" }: Step, before: Situation): boolean {
  if (isActingName(name) && isPending(before)) return false;
  if (name === "BS" && before.column === 0) return false;
  if (!isTextName(name) || !before.hasGround) return true;
  const last = before.row + Math.floor((before.column + bytes.length - 1) / before.cols);
  return last <= before.bottom;
}
