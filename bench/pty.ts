// Terminals side by side in one run: ours, the package most hosts use, and the floor the kernel sets.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** Where the scheduler puts reader and writer decides a round by ±20 %, so it takes many. */
const ROUNDS = 9;
const FILE_MB = 200;
const SPAWNS = 200;
const KEYS = 3000;

/** What a contender cannot measure is not a number. */
const figure = z.number().or(z.nan());
const Throughput = z.object({ bytes: z.number(), seconds: z.number(), cpuSeconds: figure });
const Times = z.object({ p50Ms: figure, p99Ms: figure });
const Idle = z.object({ kbEach: z.number(), threadsEach: z.number() });

interface Contender {
  readonly name: string;
  /** Runs one measurement and gives what it printed. */
  measure(name: string, argument: string): unknown;
  readonly measuresIdle: boolean;
}

function nodeContender(name: string): Contender {
  const worker = join(import.meta.dirname, "pty-worker.ts");
  return {
    name,
    measuresIdle: true,
    measure: (measure, argument) =>
      runJson(process.execPath, [
        "--expose-gc",
        "--conditions=nacre-source",
        worker,
        name,
        measure,
        argument,
      ]),
  };
}

/** The C reader where a compiler is; otherwise `script`, which can only show throughput. */
function floorContender(directory: string): Contender | undefined {
  const program = join(directory, "floor");
  try {
    const source = join(import.meta.dirname, "floor.c");
    execFileSync("cc", ["-O2", "-o", program, source, "-lutil"], { stdio: "ignore" });
  } catch {
    return scriptContender();
  }
  return {
    name: "floor (C)",
    measuresIdle: false,
    measure: (measure, argument) => runJson(program, [measure, argument]),
  };
}

function scriptContender(): Contender | undefined {
  if (!existsSync("/usr/bin/script")) return undefined;
  return {
    name: "script",
    measuresIdle: false,
    measure(measure, file) {
      if (measure !== "throughput") return { p50Ms: Number.NaN, p99Ms: Number.NaN };
      const from = performance.now();
      execFileSync("script", ["-qc", `cat '${file}'`, "/dev/null"], { stdio: "ignore" });
      const seconds = (performance.now() - from) / 1000;
      return { bytes: statSync(file).size, seconds, cpuSeconds: Number.NaN };
    },
  };
}

const runJson = (command: string, args: readonly string[]): unknown =>
  JSON.parse(execFileSync(command, args, { encoding: "utf8" }));

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const show = (value: number, digits: number): string =>
  Number.isNaN(value) ? "–" : value.toFixed(digits);

function writeFile(path: string): void {
  const line =
    "the quick brown fox jumps over the lazy dog 0123456789 \u001b[31mred\u001b[0m end\n";
  writeFileSync(path, line.repeat(Math.ceil((FILE_MB * 1e6) / Buffer.byteLength(line))));
}

/** Runs all measurements, in turns so that a noisy machine is noisy for all, and prints one table. */
export function benchPty(): void {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const file = join(directory, "text");
    writeFile(file);
    const floor = floorContender(directory);
    const contenders = [
      nodeContender("linux-pty"),
      nodeContender("@lydell/node-pty"),
      ...(floor ? [floor] : []),
    ];
    const rates = contenders.map((): number[] => []);
    const costs = contenders.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`round ${round + 1} of ${ROUNDS}`);
      const turns = [...contenders.entries()];
      for (const [index, contender] of round % 2 === 0 ? turns : turns.toReversed()) {
        const { bytes, seconds, cpuSeconds } = Throughput.parse(
          contender.measure("throughput", file),
        );
        rates[index]?.push(bytes / 1e6 / seconds);
        costs[index]?.push(cpuSeconds / (bytes / 1e9));
      }
    }
    const rows = contenders.map((contender, index) => {
      const spawn = Times.parse(contender.measure("spawn", String(SPAWNS)));
      const echo = Times.parse(contender.measure("echo", String(KEYS)));
      const idle = contender.measuresIdle
        ? Idle.parse(contender.measure("idle", ""))
        : { kbEach: Number.NaN, threadsEach: Number.NaN };
      return {
        "": contender.name,
        "MB/s": show(median(rates[index] ?? []), 1),
        "CPU s/GB": show(median(costs[index] ?? []), 2),
        "spawn p50 ms": show(spawn.p50Ms, 2),
        "spawn p99 ms": show(spawn.p99Ms, 2),
        "echo p50 ms": show(echo.p50Ms, 3),
        "echo p99 ms": show(echo.p99Ms, 3),
        "KB/idle": show(idle.kbEach, 0),
        "threads/idle": show(idle.threadsEach, 2),
      };
    });
    console.log(`cat of ${FILE_MB} MB on a cooked terminal, median of ${ROUNDS} rounds in turns`);
    printTable(rows);
    const best = Math.max(...rates.map(median));
    const [ours, theirs] = [median(rates[0] ?? []), median(rates[1] ?? [])];
    const [ourCost, theirCost] = [median(costs[0] ?? []), median(costs[1] ?? [])];
    console.log(`linux-pty: ${(ours / best).toFixed(2)} × the best throughput (target ≥ 0.90)`);
    console.log(`linux-pty: ${(ours / theirs).toFixed(2)} × node-pty's throughput`);
    console.log(
      `linux-pty: ${(ourCost / theirCost).toFixed(2)} × node-pty's CPU per GB (target ≤ 1.00)`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function printTable(rows: readonly Readonly<Record<string, string>>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => (row[name] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join("  ");
  console.log(line(names));
  for (const row of rows) console.log(line(names.map((name) => row[name] ?? "")));
}
