import { choosePtyDriver } from "@nacre/host";
import { expect, test } from "vitest";
import { seededRandom } from "../support/random.ts";
import { TARGETS } from "./targets.ts";

const SCALE = 0.003;

test.for(TARGETS.map((target) => [target.name, target] as const))(
  "the target of %s is met in a short run",
  { timeout: 60_000 },
  async ([, target]) => {
    const driver = await choosePtyDriver();
    const run = { driver, scale: SCALE, random: seededRandom(1), progress: () => {} };
    // A target that is missed throws.
    await expect(target.measure(run)).resolves.toEqual(expect.any(String));
  },
);
