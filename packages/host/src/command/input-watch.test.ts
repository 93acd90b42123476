import { expect, test } from "vitest";
import type { ForegroundSignal } from "./command-state.ts";
import { InputWatch } from "./input-watch.ts";
import type { ForegroundState } from "./foreground-state.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";

const RUNS: ForegroundState = { jobRuns: true };
const READS_LINE: ForegroundState = { kind: "line", jobRuns: true };
const READS_KEY: ForegroundState = { kind: "key", jobRuns: true };
const SHELL = { name: "bash", isShell: true, image: "1" };
const AT_PROMPT: ForegroundState = {
  kind: "key",
  jobRuns: false,
  shellIdle: { lineEditor: true },
  leader: SHELL,
};

/** A watch with a clock of its own and a terminal that a test can set. */
class Watched implements Disposable {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly signals: ForegroundSignal[] = [];
  looks = 0;
  now: () => Promise<ForegroundState> = async () => RUNS;
  readonly watch = new InputWatch({
    look: () => {
      this.looks++;
      return this.now();
    },
    onInputNeeded: (needed) => this.told.push(needed?.kind ?? "nothing"),
    onForeground: (signal) => this.signals.push(signal),
    clock: this.clock,
  });

  see(waiting: ForegroundState): void {
    this.now = async () => waiting;
  }

  [Symbol.dispose](): void {
    this.watch[Symbol.dispose]();
  }
}

const ENTER = Buffer.from("\r");

test("a program that falls silent and reads is reported after 150 ms", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(READS_LINE);
  await watched.clock.advanceInTurns(149);
  expect(watched.told).toEqual([]);
  await watched.clock.advanceInTurns(1);
  expect(watched.told).toEqual(["line"]);
  expect(watched.watch.inputNeeded).toEqual({ kind: "line", sinceMs: 150 });
});

test("a program that keeps talking is not looked at, and output sets no timers", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  const timersBefore = watched.clock.timersSet;
  for (let turn = 0; turn < 100; turn++) {
    watched.watch.noteOutput();
    await watched.clock.advanceInTurns(10);
  }
  expect(watched.looks).toBe(0);
  expect(watched.clock.timersSet - timersBefore).toBeLessThanOrEqual(10);
  await watched.clock.advanceInTurns(150);
  expect(watched.looks).toBe(1);
});

test("a silent program is looked at ever less often", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  await watched.clock.advanceInTurns(10_000);
  expect(watched.looks).toBe(7);
  await watched.clock.advanceInTurns(600_000);
  const before = watched.looks;
  await watched.clock.advanceInTurns(600_000);
  expect(watched.looks - before).toBeLessThan(25);
});

test("a shell at its prompt costs nothing", async () => {
  using watched = new Watched();
  watched.see(AT_PROMPT);
  watched.watch.setPhase("prompt");
  await watched.clock.advanceInTurns(1000);
  expect(watched.looks).toBe(1);
  watched.watch.noteInput(Buffer.from("ls"));
  watched.watch.noteOutput();
  expect(watched.clock.timersWaiting).toBe(0);
  await watched.clock.advanceInTurns(100_000);
  expect([watched.looks, watched.told, watched.signals]).toEqual([1, [], []]);
});

test("an answer takes the question away, and the next one is found", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(READS_LINE);
  await watched.clock.advanceInTurns(150);
  watched.watch.noteInput(Buffer.from("ye"));
  expect(watched.told).toEqual(["line"]);
  watched.watch.noteInput(ENTER);
  expect(watched.told).toEqual(["line", "nothing"]);
  watched.see({ kind: "secret", jobRuns: true });
  await watched.clock.advanceInTurns(150);
  expect(watched.told).toEqual(["line", "nothing", "secret"]);
});

test("S-L9: a line that a program edits itself is told as such, and keys do not answer it", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see({ ...READS_LINE, lineEditor: true });
  await watched.clock.advanceInTurns(150);
  expect(watched.watch.inputNeeded).toEqual({ kind: "line", lineEditor: true, sinceMs: 150 });
  watched.watch.noteInput(Buffer.from("1 +"));
  expect(watched.told).toEqual(["line"]);
  watched.watch.noteInput(ENTER);
  expect(watched.told).toEqual(["line", "nothing"]);
});

test("any key answers a program that waits for a key", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(READS_KEY);
  await watched.clock.advanceInTurns(150);
  watched.watch.noteInput(Buffer.from("j"));
  expect(watched.told).toEqual(["key", "nothing"]);
});

test("a program that stops waiting by itself is noticed", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(READS_LINE);
  await watched.clock.advanceInTurns(150);
  watched.see(RUNS);
  await watched.clock.advanceInTurns(60_000);
  expect(watched.told).toEqual(["line", "nothing"]);
});

test("the end of the command ends the question", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(READS_LINE);
  await watched.clock.advanceInTurns(150);
  watched.watch.setPhase("prompt");
  expect(watched.told).toEqual(["line", "nothing"]);
});

test("a line that is not complete is reported after a pause, and again after the next part", async () => {
  using watched = new Watched();
  watched.watch.setPhase("prompt");
  await watched.clock.advanceInTurns(0);
  watched.watch.setPhase("continuation");
  await watched.clock.advanceInTurns(150);
  expect(watched.told).toEqual(["continuation"]);
  expect(watched.clock.timersWaiting).toBe(0);
  watched.watch.noteInput(ENTER);
  watched.watch.noteOutput();
  await watched.clock.advanceInTurns(150);
  expect(watched.told).toEqual(["continuation", "nothing", "continuation"]);
  expect(watched.looks).toBe(1);
});

test("what was seen before something happened does not count", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  const { promise, resolve } = Promise.withResolvers<ForegroundState>();
  watched.now = () => promise;
  await watched.clock.advanceInTurns(150);
  watched.watch.noteOutput();
  watched.see(RUNS);
  resolve(READS_LINE);
  await watched.clock.advanceInTurns(150);
  expect([watched.told, watched.looks]).toEqual([[], 2]);
});

test("a shell that idles is told of each time with how long it has been so", async () => {
  using watched = new Watched();
  watched.watch.setPhase("running");
  watched.see(AT_PROMPT);
  await watched.clock.advanceInTurns(1050);
  expect(watched.signals).toEqual([
    { kind: "shellIdle", lineEditor: true, forMs: 0 },
    { kind: "shellIdle", lineEditor: true, forMs: 300 },
    { kind: "shellIdle", lineEditor: true, forMs: 900 },
  ]);
});

test("a shell that has not answered to a line yet is not idle", async () => {
  using watched = new Watched();
  watched.see(AT_PROMPT);
  watched.watch.setPhase("running");
  watched.watch.noteInput(ENTER);
  await watched.clock.advanceInTurns(1000);
  expect(watched.signals).toEqual([]);
  watched.watch.noteOutput();
  await watched.clock.advanceInTurns(150);
  expect(watched.signals).toHaveLength(1);
});

test("a job that has the terminal, and another program in place of the shell, are told of", async () => {
  using watched = new Watched();
  watched.see(AT_PROMPT);
  watched.watch.setPhase("prompt");
  await watched.clock.advanceInTurns(0);
  watched.watch.setPhase("running");
  watched.see({ ...RUNS, leader: SHELL });
  await watched.clock.advanceInTurns(150);
  expect(watched.signals).toEqual([{ kind: "jobRuns" }]);
  watched.see({ jobRuns: false, leader: { name: "vim", isShell: false, image: "2" } });
  await watched.clock.advanceInTurns(2000);
  expect(watched.signals.filter(({ kind }) => kind === "shellReplaced")).toEqual([
    { kind: "shellReplaced", name: "vim", isShell: false },
  ]);
});

test("a watch that is disposed of, or whose terminal is gone, looks no more", async () => {
  using gone = new Watched();
  gone.now = () => Promise.reject(new Error("gone"));
  await gone.clock.advanceInTurns(60_000);
  expect([gone.looks, gone.clock.timersWaiting]).toEqual([1, 0]);
  using disposed = new Watched();
  disposed.watch[Symbol.dispose]();
  disposed.watch.noteOutput();
  await disposed.clock.advanceInTurns(60_000);
  expect([disposed.looks, disposed.clock.timersWaiting]).toEqual([0, 0]);
});
