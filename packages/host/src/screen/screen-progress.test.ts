import { describe, expect, test } from "vitest";
import { ScreenProgress } from "./change-queue.ts";

const output = (sequence: number, length: number) =>
  ({ kind: "output", sequence, bytes: new Uint8Array(length) }) as const;

describe("the lag", () => {
  test("is what was written and is not drawn", () => {
    const progress = new ScreenProgress();
    progress.noteWritten(output(1, 10));
    progress.noteWritten(output(2, 20));
    progress.noteDrawn(1, 10);
    expect(progress.lagBytes).toBe(20);
    progress.noteDrawn(1, 10);
    expect(progress.lagBytes).toBe(20);
    progress.noteDrawn(2, 20);
    expect(progress).toMatchObject({ lagBytes: 0, isDone: true });
  });

  test("does not count what the drawing has already", () => {
    const progress = new ScreenProgress();
    progress.noteSent(5);
    expect(progress.noteWritten(output(5, 10))).toBe(false);
    expect(progress.noteWritten(output(5, 10))).toBe(false);
    expect(progress.lagBytes).toBe(0);
  });
});
