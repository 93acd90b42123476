import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Log } from "./log.ts";
import { endOnSignals, type ShutdownOptions } from "./stop-daemon.ts";

/** A process that notes how it was ended instead of ending. */
function rehearse(stop: ShutdownOptions["stop"], more: Partial<ShutdownOptions> = {}) {
  const exited = Promise.withResolvers<number>();
  const codes: number[] = [];
  const state = mkdtempSync(join(tmpdir(), "nacre-shutdown-"));
  const log = new Log({ state, level: "info", sink: () => {} });
  const signals = endOnSignals({
    log,
    stop,
    exit: (code) => {
      codes.push(code);
      exited.resolve(code);
    },
    ...more,
  });
  return { exited: exited.promise, codes, [Symbol.dispose]: () => signals[Symbol.dispose]() };
}

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends in order", async (signal) => {
  let stops = 0;
  using process_ = rehearse(async () => {
    stops += 1;
  });
  process.emit(signal, signal);
  expect(await process_.exited).toBe(0);
  expect(stops).toBe(1);
});

test.each([
  ["SIGTERM", false],
  ["SIGUSR2", true],
] as const)("whether programs go on is told by the signal: %s", async (signal, keepsPrograms) => {
  const told: unknown[] = [];
  using process_ = rehearse(async (how) => void told.push(how));
  process.emit(signal, signal);
  await process_.exited;
  expect(told).toEqual([{ keepsPrograms }]);
});

test("a second signal ends at once, but not one that was only passed on", async () => {
  let now = 1000;
  const never = (): Promise<void> => Promise.withResolvers<void>().promise;
  using process_ = rehearse(never, { now: () => now });
  process.emit("SIGINT", "SIGINT");
  now += 100;
  process.emit("SIGINT", "SIGINT");
  expect(process_.codes).toEqual([]);
  now += 1000;
  process.emit("SIGINT", "SIGINT");
  expect(process_.codes).toEqual([1]);
});

test("what does not end in time is ended all the same", async () => {
  using process_ = rehearse(() => Promise.withResolvers<void>().promise, { deadlineMs: 10 });
  process.emit("SIGTERM", "SIGTERM");
  // The deadline alone keeps no process alive, so something else has to here.
  const alive = setInterval(() => {}, 1000);
  expect(await process_.exited).toBe(1);
  clearInterval(alive);
});

test("an end that fails is a failure", async () => {
  using process_ = rehearse(() => Promise.reject(new Error("stuck")));
  process.emit("SIGTERM", "SIGTERM");
  expect(await process_.exited).toBe(1);
});
