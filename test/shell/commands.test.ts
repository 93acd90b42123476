import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { shellTargets } from "./targets.ts";

const SCALE = 0.05;

test.for(shellTargets.map(({ id, measure }) => [id, measure] as const))(
  "commands of %s are exact in a short run",
  { timeout: 60_000 },
  async ([shell, measure], context) => {
    requireProgram(context, shell);
    const measured = await measure({ scale: SCALE, seed: 7, progress: () => undefined });
    expect(measured).toMatch("50 of 50 lines");
  },
);
