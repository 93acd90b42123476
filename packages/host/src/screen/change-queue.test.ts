import { describe, expect, test } from "vitest";
import { ChangeQueue } from "./change-queue.ts";

const output = (sequence: number, length: number) =>
  ({ kind: "output", sequence, bytes: new Uint8Array(length) }) as const;

describe("waiting changes", () => {
  test("come out in order", () => {
    const queue = new ChangeQueue();
    for (let sequence = 1; sequence <= 3_000; sequence++) queue.push(output(sequence, 1));
    for (let sequence = 1; sequence <= 3_000; sequence++) {
      expect(queue.shift()?.sequence).toBe(sequence);
    }
    expect(queue.shift()).toBeUndefined();
  });

  test("are dropped when there are more than 4 MiB, until they are to be kept again", () => {
    const queue = new ChangeQueue();
    for (let sequence = 1; sequence <= 64; sequence++) queue.push(output(sequence, 65_000));
    expect(queue.isDropping).toBe(false);
    queue.push(output(65, 65_000));
    queue.push(output(66, 1));
    expect(queue).toMatchObject({ isDropping: true, isEmpty: true });
    queue.keep();
    queue.push(output(67, 1));
    expect(queue.shift()?.sequence).toBe(67);
  });

  test("that were drawn by other means are forgotten", () => {
    const queue = new ChangeQueue();
    for (const sequence of [1, 2, 5]) queue.push(output(sequence, 1));
    queue.dropThrough(3);
    expect(queue.shift()?.sequence).toBe(5);
  });
});
