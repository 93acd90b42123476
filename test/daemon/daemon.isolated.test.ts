import { expect, test } from "vitest";
import { daemonTargets } from "./targets.ts";
import { SHORT_PLAN } from "./plan.ts";

// Each starts a daemon of its own, which takes long where many tests run at once.
test.for(daemonTargets(SHORT_PLAN).map(({ name }) => name))(
  "a daemon keeps its promise about %s in a short run",
  { timeout: 120_000 },
  async (name) => {
    const target = daemonTargets(SHORT_PLAN).find((one) => one.name === name);
    const run = { scale: 1, seed: 1, progress: () => {} };
    // A target that is missed throws.
    await expect(target?.measure(run)).resolves.toEqual(expect.any(String));
  },
);
