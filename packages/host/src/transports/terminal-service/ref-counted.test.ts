import { expect, test } from "vitest";
import { RefCounted } from "./session-service.ts";

/** Counts how often it was opened and closed. */
function counted() {
  const counts = { opened: 0, closed: 0 };
  const shared = new RefCounted(() => {
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
  await Promise.all([shared.acquire(), shared.acquire(), shared.acquire()]);
  await shared.release();
  await shared.release();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await shared.release();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await shared.acquire();
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("who comes while it is closed gets another one", async () => {
  const { counts, shared } = counted();
  await shared.acquire();
  const closing = shared.release();
  await shared.acquire();
  await closing;
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("what could not be opened is opened anew for the next user", async () => {
  let attempts = 0;
  const shared = new RefCounted(() =>
    ++attempts === 1
      ? Promise.reject(new Error("no disk"))
      : Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  );
  const first = await Promise.allSettled([shared.acquire(), shared.acquire()]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(shared.acquire()).resolves.toBeDefined();
  expect(attempts).toBe(2);
});
