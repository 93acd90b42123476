import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { defaultConfig } from "../config/config.ts";
import type { RetentionPolicy } from "../recording/retention.ts";
import { Log } from "./log.ts";
import { scheduleRetention } from "./retention-schedule.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

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

test("after the clock jumped nothing is removed until it went on for a day", async () => {
  vi.useFakeTimers();
  try {
    const log = new Log({
      state: mkdtempSync(`${tmpdir()}/nacre-`),
      level: "info",
      sink: () => {},
    });
    let applied = 0;
    const recordings = {
      applyRetention: async () => {
        applied++;
        return [];
      },
    };
    const config = { ...defaultConfig(), retentionMaxAgeMs: 1000 };
    let sleptMs = 0;
    const steadyMs = (): number => performance.now() + sleptMs;
    using _ = scheduleRetention({ config, recordings, log, steadyMs });
    expect(applied).toBe(1);
    vi.setSystemTime(Date.now() + 365 * DAY_MS);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(applied).toBe(1);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(applied).toBe(2);
    // A machine that slept has a clock that is right.
    sleptMs = 3 * DAY_MS;
    vi.setSystemTime(Date.now() + sleptMs);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(applied).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
