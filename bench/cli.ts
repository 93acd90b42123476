// What `nacre ls` costs beside a program that does nothing: both in turns, with a daemon that runs, from a checkout and as it is installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { environmentOf, makeHome } from "../test/support/nacre-program.ts";

const ROUNDS = 40;
const WARM_UP = 5;

/** What a person still takes for at once. */
const TARGET_MS = 150;

const ROOT = join(import.meta.dirname, "..");
const BUILT = join(ROOT, "packages/cli/dist/main.js");

/** Each way with the program that it runs. */
const WAYS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "node -e 0": [process.execPath, "-e", "0"],
  "bin/nacre ls": [join(ROOT, "bin/nacre"), "ls"],
  ...(existsSync(BUILT) ? { "nacre ls, installed": [process.execPath, BUILT, "ls"] } : {}),
};

const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

/** Runs all measurements and prints them with the target. */
export async function benchCli(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(makeHome());
  const env = environmentOf(home);
  stack.use(await DaemonProcess.start({ home, env }));
  const times = new Map(Object.keys(WAYS).map((way) => [way, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [way, [program, ...args]] of Object.entries(WAYS)) {
      const from = performance.now();
      const { status, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${way} ended with ${status}: ${stderr}`);
      if (round >= 0) times.get(way)?.push(performance.now() - from);
    }
  }
  report(times);
}

function report(times: ReadonlyMap<string, readonly number[]>): void {
  const alone = at(times.get("node -e 0") ?? [], 0.5);
  for (const [way, each] of times) {
    const [p50, p99] = [at(each, 0.5), at(each, 0.99)];
    const ratio = `${(p50 / alone).toFixed(1)} times node -e 0`;
    const verdict = p50 <= TARGET_MS ? "met" : "missed";
    const target = way.includes("nacre") ? `, ${ratio} (target ≤ ${TARGET_MS} ms: ${verdict})` : "";
    console.log(`${way.padEnd(24)} p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms${target}`);
  }
}
