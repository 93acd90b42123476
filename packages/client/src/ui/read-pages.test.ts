import { expect, test } from "vitest";
import { type After, readAll, readPages } from "./read-pages.ts";

/** Three rows, two in an answer. */
const read = ({ after = 0 }: After<number>) => {
  const rows = [1, 2, 3].filter((row) => row > after).slice(0, 2);
  return Promise.resolve({ rows, ...(rows.length === 2 ? { nextAfter: rows[1] } : {}) });
};

test("a list is read to its end, from its beginning or from a place", async () => {
  expect(await readAll(read, ({ rows }) => rows)).toEqual([1, 2, 3]);
  expect(await readAll(read, ({ rows }) => rows, 2)).toEqual([3]);
});

test("who has enough asks for no more", async () => {
  let asked = 0;
  const counted: typeof read = (after) => {
    asked += 1;
    return read(after);
  };
  for await (const page of readPages(counted)) {
    expect(page.rows).toEqual([1, 2]);
    break;
  }
  expect(asked).toBe(1);
});
