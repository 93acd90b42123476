import { expect, test } from "vitest";
import { Shared } from "./shared.ts";

/** Counts how often it was opened and closed. */
function counted() {
  const counts = { opened: 0, closed: 0 };
  const shared = new Shared(() => {
    counts.opened++;
    const close = (): Promise<void> => {
      counts.closed++;
      return Promise.resolve();
    };
    return Promise.resolve({ [Symbol.asyncDispose]: close });
  });
  return { counts, shared };
}

test("it is opened once for many users, and closed after the last of them", async () => {
  const { counts, shared } = counted();
  await Promise.all([shared.take(), shared.take(), shared.take()]);
  await shared.giveBack();
  await shared.giveBack();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await shared.giveBack();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await shared.take();
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("who comes while it is closed gets another one", async () => {
  const { counts, shared } = counted();
  await shared.take();
  const closing = shared.giveBack();
  await shared.take();
  await closing;
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("what could not be opened is opened anew for the next user", async () => {
  let attempts = 0;
  const shared = new Shared(() =>
    ++attempts === 1
      ? Promise.reject(new Error("no disk"))
      : Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  );
  const first = await Promise.allSettled([shared.take(), shared.take()]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(shared.take()).resolves.toBeDefined();
  expect(attempts).toBe(2);
});
