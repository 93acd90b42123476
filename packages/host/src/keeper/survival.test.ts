import { expect, test } from "vitest";
import { Survival } from "./testing/survival.ts";
import { SURVIVAL_CASES } from "./testing/survival-cases.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

const LIVES = 4;
const QUICK_PER_LIFE = 4;

test(
  "programs do not notice that their daemon is killed, and nothing they wrote is lost or read twice",
  { timeout: 120_000 },
  async () => {
    await using keeper = await TestKeeper.start();
    using survival = new Survival(keeper, LIVES);
    await survival.run();
    expect(survival.check()).toBe(SURVIVAL_CASES.length + LIVES * QUICK_PER_LIFE);
  },
);
