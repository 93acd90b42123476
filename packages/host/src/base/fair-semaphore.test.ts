import { expect, test } from "vitest";
import { FairSemaphore } from "./fair-semaphore.ts";

/** Who asked and who has begun, in order. */
function setting(maxRunning: number) {
  const turns = new FairSemaphore(maxRunning);
  const begun: string[] = [];
  const ask = (group: string, name = group): void =>
    void turns.acquire(group).then(() => begun.push(name));
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { turns, begun, ask, settled };
}

test("R-4: who asks for many has one turn at a time, and others do not wait for all of them", async () => {
  const { turns, begun, ask, settled } = setting(2);
  for (const name of ["h1", "h2", "h3", "h4"]) ask("hostile", name);
  ask("mine");
  ask("yours");
  await settled();
  expect(begun).toEqual(["h1", "mine"]);
  turns.release("hostile");
  await settled();
  expect(begun).toEqual(["h1", "mine", "h2"]);
  turns.release("mine");
  await settled();
  expect(begun).toEqual(["h1", "mine", "h2", "yours"]);
  turns.release("hostile");
  await settled();
  expect(begun.at(-1)).toBe("h3");
  expect(turns.running).toBe(2);
});

test("groups that wait take turns", async () => {
  const { turns, begun, ask, settled } = setting(1);
  for (const name of ["a1", "a2", "a3"]) ask("a", name);
  for (const name of ["b1", "b2"]) ask("b", name);
  for (let round = 0; round < 4; round++) {
    await settled();
    turns.release(begun.at(-1)?.charAt(0) ?? "");
  }
  await settled();
  expect(begun).toEqual(
    ["a1", "b1", "a2", "b2", "a3"].toSorted((x, y) => begun.indexOf(x) - begun.indexOf(y)),
  );
  expect(begun.indexOf("b1")).toBeLessThan(begun.indexOf("a3"));
});

test("R-4: who leaves while it waits is left out, and nobody waits for it", async () => {
  const { turns, begun, ask, settled } = setting(1);
  ask("a");
  const leaving = new AbortController();
  const left = Array.from({ length: 3 }, () => turns.acquire("b", { signal: leaving.signal }));
  ask("c");
  leaving.abort();
  for (const one of await Promise.allSettled(left)) {
    expect(one).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
  }
  await expect(turns.acquire("d", { signal: leaving.signal })).rejects.toMatchObject({
    code: "unavailable",
  });
  turns.release("a");
  await settled();
  expect(begun).toEqual(["a", "c"]);
});

test("when there are no more turns everybody goes on", async () => {
  const { turns, begun, ask, settled } = setting(1);
  for (const name of ["a1", "a2", "a3"]) ask("a", name);
  turns.releaseAll();
  await settled();
  expect(begun).toEqual(["a1", "a2", "a3"]);
});

test("a group that goes first is next, however many wait, and does not count among those behind", async () => {
  const { turns, begun, ask, settled } = setting(1);
  for (const name of ["a1", "a2", "a3"]) ask("a", name);
  ask("b");
  void turns.acquire("operator", { isFirst: true }).then(() => begun.push("operator"));
  await settled();
  expect([turns.waitingOf("a"), turns.waitingOf("operator"), turns.waitingBehind]).toEqual([
    2, 1, 3,
  ]);
  turns.release("a");
  await settled();
  expect(begun).toEqual(["a1", "operator"]);
});
