import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { InteractiveBoost, lowerAutogroupPriority } from "./autogroup-priority.ts";

const hasSessions = existsSync("/proc/self/autogroup");
const niceOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/autogroup`, "utf8").trim().split(" ").at(-1) ?? "";

test.skipIf(!hasSessions)("a session gives way, and no longer does", async () => {
  // Nothing is said of a process that has no session of its own to weigh.
  const own = niceOf(process.pid);
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const { pid = 0 } = child;
  try {
    expect(lowerAutogroupPriority(pid, 1)).toBe(true);
    expect(niceOf(pid)).toBe("5");
    await expect.poll(() => lowerAutogroupPriority(pid, 10)).toBe(true);
    expect(niceOf(pid)).toBe("15");
    await expect.poll(() => lowerAutogroupPriority(pid, 100)).toBe(true);
    expect(niceOf(pid)).toBe("19");
    expect(niceOf(process.pid)).toBe(own);
    await expect.poll(() => lowerAutogroupPriority(pid, 0)).toBe(true);
    expect(niceOf(pid)).toBe("0");
  } finally {
    child.kill();
    await once(child, "exit");
  }
});

test.skipIf(!hasSessions)(
  "who types is preferred until it is quiet, in a session of its own where that is allowed",
  async () => {
    const script = `import { InteractiveBoost } from "./autogroup-priority.ts";
    import { readFileSync } from "node:fs";
    const say = () => console.log(readFileSync("/proc/self/autogroup", "utf8").trim().split(" ").at(-1));
    const boost = new InteractiveBoost();
    boost.noteTyping();
    say();
    boost[Symbol.dispose]();
    say();`;
    const flags = ["--conditions=nacre-source", "--input-type=module", "--eval", script];
    const child = spawn(process.execPath, flags, {
      cwd: import.meta.dirname,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = (await child.stdout.setEncoding("utf8").toArray()).join("");
    expect(["-5\n0\n", "0\n0\n"]).toContain(said);
  },
);

test.skipIf(!hasSessions)("a process in somebody else's session leaves that as it is", () => {
  const own = niceOf(process.pid);
  using boost = new InteractiveBoost();
  boost.noteTyping();
  expect(niceOf(process.pid)).toBe(own);
});

test("a process that is gone cannot", () => {
  expect(lowerAutogroupPriority(2 ** 30, 1)).toBe(false);
});
