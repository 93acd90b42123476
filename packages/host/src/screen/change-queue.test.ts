import { describe, expect, test } from "vitest";
import { ChangeQueue, QueueBudget } from "./change-queue.ts";

const output = (sequence: number, length: number) =>
  ({ kind: "output", sequence, bytes: new Uint8Array(length) }) as const;

describe("waiting changes", () => {
  test("come out in order", () => {
    const queue = new ChangeQueue(new QueueBudget(0));
    for (let sequence = 1; sequence <= 3_000; sequence++) queue.push(output(sequence, 1));
    for (let sequence = 1; sequence <= 3_000; sequence++) {
      expect(queue.shift()?.sequence).toBe(sequence);
    }
    expect(queue.shift()).toBeUndefined();
  });

  test("are dropped when there are more than 4 MiB, until they are to be kept again", () => {
    const queue = new ChangeQueue(new QueueBudget(0));
    for (let sequence = 1; sequence <= 64; sequence++) queue.push(output(sequence, 65_000));
    expect(queue.isDropping).toBe(false);
    queue.push(output(65, 65_000));
    queue.push(output(66, 1));
    expect(queue).toMatchObject({ isDropping: true, isEmpty: true });
    queue.keep();
    queue.push(output(67, 1));
    expect(queue.shift()?.sequence).toBe(67);
  });

  test("of one screen may take what others leave of the room for all", () => {
    const budget = new QueueBudget(8 * 1024 * 1024);
    const [one, other] = [new ChangeQueue(budget), new ChangeQueue(budget)];
    for (let sequence = 1; sequence <= 100; sequence++) one.push(output(sequence, 65_000));
    expect(one.isDropping).toBe(false);
    for (let sequence = 1; sequence <= 40; sequence++) other.push(output(sequence, 65_000));
    expect(other.isDropping).toBe(false);
    one.push(output(101, 65_000));
    expect(one.isDropping).toBe(true);
    for (let sequence = 41; sequence <= 100; sequence++) other.push(output(sequence, 65_000));
    expect(other.isDropping).toBe(false);
  });

  test("that were drawn by other means are forgotten", () => {
    const queue = new ChangeQueue(new QueueBudget(0));
    for (const sequence of [1, 2, 5]) queue.push(output(sequence, 1));
    queue.dropThrough(3);
    expect(queue.shift()?.sequence).toBe(5);
  });
});
