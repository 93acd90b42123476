import { expect, test } from "vitest";
import { IndexerThrottle } from "./indexer-throttle.ts";

function paceAt(clock: { now: number }): IndexerThrottle {
  return new IndexerThrottle(() => clock.now);
}

test("while more comes than can be indexed, most of the time is left to others", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.noteChanges(true);
  pace.beginStep();
  clock.now = 10;
  expect(pace.endStep()).toBe(90);
  clock.now = 1000;
  expect(pace.endStep()).toBe(200);
});

test("who is left behind by step after step rests longer, until it is done with all there is", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  const step = (isFull: boolean): number => {
    pace.noteChanges(true);
    pace.beginStep();
    if (isFull) pace.noteFull();
    clock.now += 10;
    return pace.endStep();
  };
  const rests = Array.from({ length: 5 }, () => step(true));
  expect(rests).toEqual([90, 180, 360, 720, 720]);
  expect([step(false), step(true)]).toEqual([90, 90]);
});

test("what comes now and then, and what is left of a flood, is indexed at once", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.noteChanges(false);
  pace.beginStep();
  clock.now = 10;
  expect(pace.endStep()).toBe(0);
  pace.noteChanges(true);
  pace.beginStep();
  pace.beginStep();
  clock.now = 20;
  expect(pace.endStep()).toBe(0);
});

test("a step ends after a while", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.beginStep();
  clock.now = 19;
  expect(pace.isStepOver).toBe(false);
  clock.now = 20;
  expect(pace.isStepOver).toBe(true);
  pace.beginStep();
  expect(pace.isStepOver).toBe(false);
});

test("letters wait for text, but not for ever", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  expect(pace.mayIndexTrigrams(true)).toBe(true);
  expect(pace.mayIndexTrigrams(false)).toBe(false);
  expect(pace.mayIndexTrigrams(true)).toBe(true);
  clock.now = 5000;
  expect(pace.mayIndexTrigrams(false)).toBe(true);
  expect(pace.mayIndexTrigrams(false)).toBe(false);
});
