import { expect, test } from "vitest";
import { flood, FLOODS } from "./floods.ts";

/** Enough for a few subscriptions, behind each of which who follows hears more; how soon they are answered is measured by `npm run test:ahp -- floods`. */
const FLOOD_MS = 3_000;

/** A daemon in a process of its own takes a while to start and to answer where many tests run at once. */
const PATIENCE = { timeout: 240_000 };

const MIB = 1024 * 1024;

test.each(["yes, 3000 letters a line", "cat /dev/urandom"])(
  "A-F1: subscriptions in the middle of %s are answered with little, by a daemon that stays small, while others follow",
  PATIENCE,
  async (name) => {
    const seen = await flood(FLOODS[name] ?? "", FLOOD_MS);
    expect(seen.subscriptions).toBeGreaterThan(0);
    expect(seen.largestBytes).toBeLessThan(4 * MIB);
    expect(seen.residentBytes).toBeLessThan(700 * MIB);
  },
);
