import type { RecordingBlocked } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StorageMonitor } from "../recording/storage-monitor.ts";
import { unlessBlocked } from "./require-recording.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** What a terminal asks of its recordings, over a disk that a test makes full. */
function recordings(storage = new StorageMonitor(() => undefined)) {
  const fail = (reason: RecordingBlocked["reason"]): void =>
    storage.handleState({ state: "degraded", reason, message: "no room", since: 0 });
  const recover = (): void => storage.handleState({ state: "ok" });
  return {
    get state() {
      return storage.recorder;
    },
    get blocked() {
      return storage.blocked;
    },
    onState: (listener: () => void) => storage.onState(listener),
    fail,
    recover,
  };
}

test("P-A3: who waits for a full disk is refused at once, before and after it became full", async () => {
  const disk = recordings();
  const waiting = unlessBlocked(new Promise(() => undefined), disk);
  disk.fail("diskFull");
  const refused = { code: "recording_blocked", message: expect.stringContaining("no room") };
  await expect(waiting).rejects.toMatchObject(refused);
  await expect(unlessBlocked(new Promise(() => undefined), disk)).rejects.toMatchObject(refused);
  expect(vi.getTimerCount()).toBe(0);
});

test("P-A3: a recorder that is back soon is waited for, one that stays away is not", async () => {
  const disk = recordings();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = unlessBlocked(promise, disk);
  disk.fail("storeFailed");
  vi.advanceTimersByTime(1000);
  disk.recover();
  vi.advanceTimersByTime(10_000);
  resolve("recorded");
  expect(await waiting).toBe("recorded");
  const longer = unlessBlocked(new Promise(() => undefined), disk);
  disk.fail("storeFailed");
  vi.advanceTimersByTime(10_000);
  await expect(longer).rejects.toMatchObject({ code: "recording_blocked" });
});
