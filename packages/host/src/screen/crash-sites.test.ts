import { expect, test } from "vitest";
import { CrashSites } from "./live-screen.ts";

test("a slice is skipped after its second death", () => {
  const deaths = new CrashSites();
  expect(deaths.add({ sequence: 1, offset: 0 })).toBe(false);
  expect(deaths.add({ sequence: 2, offset: 0 })).toBe(false);
  expect(deaths.skips).toEqual([]);
  expect(deaths.add({ sequence: 1, offset: 0 })).toBe(true);
  expect(deaths.skips).toEqual([{ sequence: 1, offset: 0 }]);
});
