import { choosePtyDriver } from "@nacre/host";
import { expect, test } from "vitest";
import { FIGURES } from "./targets.ts";
import { seededRandom } from "../support/seeded-random.ts";

const SCALE = 0.003;

test.for(FIGURES.map((figure) => [figure.name, figure] as const))(
  "the figure of %s is met in a short run",
  { timeout: 60_000 },
  async ([, figure]) => {
    const driver = await choosePtyDriver();
    const run = { driver, scale: SCALE, random: seededRandom(1), progress: () => {} };
    // A figure that misses its target throws.
    await expect(figure.measure(run)).resolves.toEqual(expect.any(String));
  },
);
