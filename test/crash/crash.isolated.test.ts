import { afterAll, beforeAll, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { type Bundle, bundlePrograms } from "../support/bundle-programs.ts";
import { CRASH_SOURCES, crashTargets } from "./targets.ts";

const PLAN = { points: 200, randomKills: 40, entries: 20_000 };

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundlePrograms(CRASH_SOURCES);
});
afterAll(() => bundle[Symbol.dispose]());

test.for(["killed at a system call", "killed under load", "recording again after a kill"])(
  "the target of a process %s is met in a short run",
  { timeout: 180_000 },
  async (name, context) => {
    requireProgram(context, "strace");
    const target = crashTargets(bundle, PLAN).find((one) => one.name === name);
    const run = { scale: 0.01, seed: 1, progress: () => {} };
    // A target that is missed throws; times are judged in full runs only.
    await expect(target?.measure(run)).resolves.toEqual(expect.any(String));
  },
);
