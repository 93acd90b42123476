import { expect, test } from "vitest";
import { CreateLimits } from "./create-limits.ts";

const task = (entityId: string) => ({ entityName: "Task", entityId });

test("a place is taken at once, so that parallel creates cannot pass the limit", async () => {
  const limits = new CreateLimits({ maxTerminals: 1 });
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, async () => {
      const place = limits.take(task("7"));
      await Promise.resolve();
      return place;
    }),
  );
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(limits.count).toBe(1);
});

test("a place that was given back can be taken again, and is given back once", () => {
  const limits = new CreateLimits({ maxTerminals: 1 });
  const place = limits.take(task("7"));
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  expect(limits.count).toBe(0);
  limits.take(task("7"));
  expect(() => limits.take(task("7"))).toThrow("1 of 1 terminals are running");
});

test("an agent has a smaller share than a person", () => {
  const limits = new CreateLimits({ maxPerAgent: 2 });
  limits.take(task("7"), "agent");
  limits.take(task("7"), "operator");
  expect(() => limits.take(task("7"), "agent")).toThrow("Task 7 has 2 of 2 terminals running");
  limits.take(task("7"), "operator");
});

test("one owner cannot take the places of all", () => {
  const limits = new CreateLimits({ maxPerOwner: 1 });
  limits.take(task("7"));
  expect(() => limits.take(task("7"))).toThrow("Task 7 has 1 of 1 terminals running");
  limits.take(task("8"));
  expect(limits.count).toBe(2);
});

test("a program that runs away is slowed", () => {
  let now = 0;
  const limits = new CreateLimits({ maxCreatesPerSecond: 2 }, () => now);
  for (let count = 0; count < 10; count++) limits.take(task("7"));
  expect(() => limits.take(task("7"))).toThrow("more than 2 terminals per second");
  now = 500;
  limits.take(task("7"));
  expect(limits.count).toBe(11);
});

test.each([0, 1001, 1.5, Number.NaN])("%s is no number of terminals", (count) => {
  expect(() => new CreateLimits({ maxTerminals: count })).toThrow("from 1 to 1000");
});

test("the limit can be changed at any time, and a wrong one changes nothing", () => {
  const limits = new CreateLimits({ maxTerminals: 1 });
  expect(() => (limits.maxTerminals = 2000)).toThrow("from 1 to 1000");
  expect(limits.maxTerminals).toBe(1);
  limits.maxTerminals = 2;
  limits.take(task("7"));
  limits.take(task("7"));
  expect(limits.count).toBe(2);
});
