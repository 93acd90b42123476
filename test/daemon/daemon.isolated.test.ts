import { expect, test } from "vitest";
import { daemonFigures } from "./targets.ts";
import { SHORT_PLAN } from "./plan.ts";

// Each starts a daemon of its own, which takes long where many tests run at once.
test.for(daemonFigures(SHORT_PLAN).map(({ name }) => name))(
  "a daemon keeps its promise about %s in a short run",
  { timeout: 120_000 },
  async (name) => {
    const figure = daemonFigures(SHORT_PLAN).find((one) => one.name === name);
    const run = { scale: 1, seed: 1, progress: () => {} };
    // A figure that misses its target throws.
    await expect(figure?.measure(run)).resolves.toEqual(expect.any(String));
  },
);
