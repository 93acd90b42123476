import { expect, test } from "vitest";
import { IndexerPace } from "./indexer-pace.ts";

function paceAt(clock: { now: number }): IndexerPace {
  return new IndexerPace(() => clock.now);
}

test("while more comes than can be indexed, most of the time is left to others", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.noteNews(true);
  pace.begin();
  clock.now = 10;
  expect(pace.end()).toBe(90);
  clock.now = 1000;
  expect(pace.end()).toBe(200);
});

test("who is left behind by step after step rests longer, until it is done with all there is", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  const step = (isFull: boolean): number => {
    pace.noteNews(true);
    pace.begin();
    if (isFull) pace.noteFull();
    clock.now += 10;
    return pace.end();
  };
  const rests = Array.from({ length: 5 }, () => step(true));
  expect(rests).toEqual([90, 180, 360, 720, 720]);
  expect([step(false), step(true)]).toEqual([90, 90]);
});

test("what comes now and then, and what is left of a flood, is indexed at once", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.noteNews(false);
  pace.begin();
  clock.now = 10;
  expect(pace.end()).toBe(0);
  pace.noteNews(true);
  pace.begin();
  pace.begin();
  clock.now = 20;
  expect(pace.end()).toBe(0);
});

test("a step ends after a while", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  pace.begin();
  clock.now = 19;
  expect(pace.isStepOver).toBe(false);
  clock.now = 20;
  expect(pace.isStepOver).toBe(true);
  pace.begin();
  expect(pace.isStepOver).toBe(false);
});

test("letters wait for text, but not for ever", () => {
  const clock = { now: 0 };
  const pace = paceAt(clock);
  expect(pace.mayIndexLetters(true)).toBe(true);
  expect(pace.mayIndexLetters(false)).toBe(false);
  expect(pace.mayIndexLetters(true)).toBe(true);
  clock.now = 5000;
  expect(pace.mayIndexLetters(false)).toBe(true);
  expect(pace.mayIndexLetters(false)).toBe(false);
});
