import { expect, test } from "vitest";
import { reliabilityTargets } from "./targets.ts";

/** How much of each is done beside everything else: enough to see that it is right, not how fast it is. */
const SCALES: Readonly<Record<string, number>> = {
  kills: 0.015,
  restarts: 0.015,
  load: 0.02,
  claims: 0.01,
  soak: 0.002,
  seeds: 0.0001,
  throughput: 0.01,
  echo: 0.02,
};

// Each starts daemons of its own, which takes long where many tests run at once.
test.for(reliabilityTargets.map(({ id }) => id))(
  "a daemon keeps its promise about %s in a short run",
  { timeout: 180_000 },
  async (id) => {
    const target = reliabilityTargets.find((one) => one.id === id);
    const run = { scale: SCALES[id] ?? 0, seed: 1, progress: () => {} };
    // A target that is missed throws.
    await expect(target?.measure(run)).resolves.toEqual(expect.any(String));
  },
);
