import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type TerminalId } from "@nacre/contracts";
import { terminalId } from "../testing/terminal-row.ts";
import { Reaper, type ReaperPolicy, type ReapReason, type ReapRegistry } from "./reaper.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Terminals that are nothing but how long they are quiet. */
class Quiet implements ReapRegistry {
  readonly disposed: TerminalId[] = [];
  #terminals: { id: TerminalId; isRunning: boolean; activeAt: number }[];

  constructor(...terminals: readonly { uid: string; isRunning: boolean; quietMs: number }[]) {
    this.#terminals = terminals.map(({ uid, isRunning, quietMs }) => ({
      id: terminalId(uid),
      isRunning,
      activeAt: performance.now() - quietMs,
    }));
  }

  list() {
    return this.#terminals;
  }

  dispose(id: TerminalId): Promise<void> {
    this.#terminals = this.#terminals.filter((terminal) => terminal.id !== id);
    this.disposed.push(id);
    return Promise.resolve();
  }
}

const running = (uid: string, quietMs: number) => ({ uid, isRunning: true, quietMs });
const exited = (uid: string, quietMs: number) => ({ uid, isRunning: false, quietMs });

function reaperOf(registry: ReapRegistry, policy: ReaperPolicy) {
  const reaped: [TerminalId, ReapReason][] = [];
  const problems: unknown[] = [];
  const reaper = new Reaper({
    registry,
    policy,
    handleReap: ({ id }, reason) => reaped.push([id, reason]),
    handleProblem: (error) => problems.push(error),
  });
  return { reaper, reaped, problems };
}

test("each terminal goes for its own reason, and not before its time", () => {
  const registry = new Quiet(
    running("busy", 999),
    running("idle", 1000),
    exited("fresh", 99),
    exited("old", 100),
  );
  const { reaper, reaped } = reaperOf(registry, { exitedAfterMs: 100, idleAfterMs: 1000 });
  reaper.reap(performance.now());
  expect(reaped).toEqual([
    [terminalId("idle"), "idle"],
    [terminalId("old"), "exited"],
  ]);
  expect(registry.disposed).toEqual([terminalId("idle"), terminalId("old")]);
  reaper[Symbol.dispose]();
});

test("without a policy nothing ever goes", async () => {
  const registry = new Quiet(running("idle", 1e9), exited("old", 1e9));
  const { reaper, reaped } = reaperOf(registry, {});
  await vi.advanceTimersByTimeAsync(3_600_000);
  reaper.reap(performance.now());
  expect(reaped).toEqual([]);
});

test("it looks by itself, soon after the time is over, until it is disposed of", async () => {
  const registry = new Quiet(exited("old", 0), running("other", 0));
  const { reaper, reaped } = reaperOf(registry, { exitedAfterMs: 1000, idleAfterMs: 5000 });
  await vi.advanceTimersByTimeAsync(999);
  expect(reaped).toEqual([]);
  await vi.advanceTimersByTimeAsync(251);
  expect(reaped).toEqual([[terminalId("old"), "exited"]]);
  reaper[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reaped).toHaveLength(1);
});

test("what cannot be disposed of is reported, and the others go all the same", async () => {
  const registry = new Quiet(exited("stuck", 1000), exited("old", 1000));
  const problem = new Error("stuck");
  vi.spyOn(registry, "dispose").mockRejectedValueOnce(problem);
  const { reaper, problems } = reaperOf(registry, { exitedAfterMs: 10 });
  reaper.reap(performance.now());
  await vi.advanceTimersByTimeAsync(0);
  expect(problems).toEqual([problem]);
  expect(registry.disposed).toEqual([terminalId("old")]);
  reaper[Symbol.dispose]();
});
