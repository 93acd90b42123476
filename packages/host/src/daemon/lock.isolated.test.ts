import { spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { LOCK_PATIENCE_MS, takeLock, waitForLock } from "./lock.ts";

const makeState = (): string => mkdtempSync(join(tmpdir(), "nacre-lock-"));

test("one has the lock until it gives it back", () => {
  const state = makeState();
  const lock = takeLock(state);
  expect(lock).toBeDefined();
  expect(takeLock(state)).toBeUndefined();
  lock?.[Symbol.dispose]();
  using again = takeLock(state);
  expect(again).toBeDefined();
  expect(statSync(join(state, "daemon.lock")).mode & 0o777).toBe(0o600);
});

test("a killed process has no lock any more", async () => {
  const state = makeState();
  const script = `import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))}).then(({ takeLock }) => {
    globalThis.lock = takeLock(${JSON.stringify(state)});
    console.log(lock ? "taken" : "refused");
    setInterval(() => {}, 1e6);
  })`;
  const args = ["--conditions=nacre-source", "--input-type=module", "-e", script];
  const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(holder.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe("taken\n");
  expect(takeLock(state)).toBeUndefined();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  using lock = takeLock(state);
  expect(lock).toBeDefined();
});

test("a lock is waited for while nobody is found who has it", async () => {
  const state = makeState();
  const lock = takeLock(state);
  let looks = 0;
  const waiting = waitForLock(state, () => {
    // As one whose last thread ends just after its first.
    if (++looks === 2) lock?.[Symbol.dispose]();
    return false;
  });
  using taken = await waiting;
  expect(taken).toBeDefined();
  expect(await waitForLock(state, () => true)).toBeUndefined();
});

test("who has more patience than a moment gets a lock that is given back after it", async () => {
  vi.useFakeTimers();
  try {
    const state = makeState();
    const lock = takeLock(state);
    const givenUp = waitForLock(state, () => false);
    const waiting = waitForLock(state, () => false, 10 * LOCK_PATIENCE_MS);
    await vi.advanceTimersByTimeAsync(2 * LOCK_PATIENCE_MS);
    expect(await givenUp).toBeUndefined();
    lock?.[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(LOCK_PATIENCE_MS);
    using taken = await waiting;
    expect(taken).toBeDefined();
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["symbolic", symlinkSync],
  ["hard", linkSync],
])("a %s link in its place is refused", (_, link) => {
  const state = makeState();
  writeFileSync(join(state, "target"), "precious", { mode: 0o644 });
  link(join(state, "target"), join(state, "daemon.lock"));
  expect(() => takeLock(state)).toThrow("not a plain file");
  expect(statSync(join(state, "target")).mode & 0o777).toBe(0o644);
});
