import { expect, test } from "vitest";
import { cutAndReconnect } from "./reconnecting.ts";

/** Enough that every kind of cut is met. */
const CUTS = 40;

// Waits for several thousand lines, which takes long where many tests run at once.
test(
  "clients that are cut at random moments of a flood lose and double no action",
  { timeout: 120_000 },
  async () => {
    // What is wrong is thrown.
    const done = cutAndReconnect(CUTS, { seed: 1, progress: () => undefined });
    await expect(done).resolves.toMatch(/every client has every action once/);
  },
);
