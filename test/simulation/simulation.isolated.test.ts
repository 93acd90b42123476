import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "main.ts");

/** A simulation replaces the clocks of its process, so it has one of its own. */
async function simulate(...args: readonly string[]): Promise<string> {
  // Most of what it makes is garbage at once.
  const flags = ["--max-semi-space-size=64", "--conditions=nacre-source"];
  const all = [...flags, MAIN, ...args];
  const { stdout } = await run(process.execPath, all, { maxBuffer: 2 ** 26 }).catch(
    (error: { readonly stdout?: string; readonly message: string }) => ({
      stdout: error.stdout || error.message,
    }),
  );
  return stdout;
}

/** Seconds on a machine with nothing else to do. */
const MAX_MS = 240_000;

test(
  "a thousand seeds break no promise, and come across every fault",
  { timeout: MAX_MS },
  async () => {
    const said = await simulate();
    expect(said).toMatch(/\n\d+ seeds, 0 failed, /);
    expect(said).not.toContain("never came about");
  },
);

test("one seed is one run, to the last byte", { timeout: MAX_MS }, async () => {
  const [first, second] = await Promise.all([simulate("--digests"), simulate("--digests")]);
  expect(first).toMatch(/^(?:\d+ [0-9a-f]{16}\n)+$/);
  expect(second).toBe(first);
});

test("every planted fault is found", { timeout: MAX_MS }, async () => {
  const said = await simulate("--plants");
  expect(said).toContain("✓ ackBeforeCommit");
  expect(said).not.toContain("✗");
});
