import type { StorageInfo } from "@nacre/contracts";
import { expect, test } from "vitest";
import { StorageMonitor } from "./storage-monitor.ts";

const MIB = 1024 ** 2;

function watched(): { readonly storage: StorageMonitor; readonly told: StorageInfo[] } {
  const told: StorageInfo[] = [];
  return { storage: new StorageMonitor((info) => told.push(info)), told };
}

const space = (freeMib: number) => ({ freeBytes: freeMib * MIB, reserveBytes: 64 * MIB });

test("little space is told before recordings have to wait, and not each time it comes and goes", () => {
  const { storage, told } = watched();
  for (const free of [2000, 1025, 1023, 1030, 1000, 1125, 1127]) storage.handleSpace(space(free));
  expect(told.map(({ state }) => state)).toEqual(["low", "ok"]);
  expect(told[0]).toMatchObject({ freeBytes: 1023 * MIB, reserveBytes: 64 * MIB });
  expect(storage.blocked).toBeUndefined();
});

test("P-A3: a full disk is told with what is missing, and a failing one as what it is", () => {
  const { storage, told } = watched();
  const message = "the disk has 60.0 MiB left, 64.0 MiB are kept in reserve";
  storage.handleSpace(space(60));
  storage.handleState({ state: "degraded", reason: "diskFull", message, since: 0 });
  expect(storage.info).toMatchObject({ state: "full", neededBytes: 4 * MIB, reason: message });
  expect(storage.blocked).toMatchObject({
    reason: "diskFull",
    message: expect.stringContaining(message),
    since: "1970-01-01T00:00:00.000Z",
  });
  storage.handleState({ state: "ok" });
  storage.handleState({ state: "degraded", reason: "storeFailed", message: "broken", since: 0 });
  expect(told.map(({ state }) => state)).toEqual(["low", "full", "low", "failing"]);
  expect(storage.info).not.toHaveProperty("neededBytes");
});

test("a full disk is told with what is free now, not with what was free when it became full", () => {
  const { storage } = watched();
  const message = "the disk has 63.9 MiB left, 64.0 MiB are kept in reserve";
  storage.handleState({ state: "degraded", reason: "diskFull", message, since: 0 });
  expect(storage.info.reason).toBe(message);
  storage.handleSpace(space(0));
  expect(storage.info.reason).toBe("the disk has 0.0 MiB left, 64.0 MiB are kept in reserve");
  expect(storage.blocked?.message).toContain("0.0 MiB left");
});

test("recordings in memory have no disk to tell of", () => {
  const { storage, told } = watched();
  storage.handleSpace({ freeBytes: Number.POSITIVE_INFINITY, reserveBytes: 64 * MIB });
  expect(storage.info).toEqual({ state: "ok" });
  expect(told).toEqual([]);
});
