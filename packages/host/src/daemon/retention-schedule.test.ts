import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import type { RetentionPolicy } from "../recording/retention.ts";
import { Log } from "./log.ts";
import { scheduleRetention } from "./retention-schedule.ts";

/** Notes which policies are applied. */
function watch(settings: Partial<ReturnType<typeof defaultConfig>>) {
  const applied: RetentionPolicy[] = [];
  const log = new Log({ state: mkdtempSync(`${tmpdir()}/nacre-`), level: "info", sink: () => {} });
  const recordings = {
    applyRetention: async (policy: RetentionPolicy) => {
      applied.push(policy);
      return [];
    },
  };
  scheduleRetention({ config: { ...defaultConfig(), ...settings }, recordings, log })[
    Symbol.dispose
  ]();
  return applied;
}

test("what the settings limit is applied at the start", () => {
  expect(watch({ retentionMaxAgeMs: 1000, retentionMaxTotalBytes: 5 })).toEqual([
    { maxAgeMs: 1000, maxTotalBytes: 5 },
  ]);
});

test("nothing is removed where the settings keep everything", () => {
  expect(watch({})).toEqual([]);
});
