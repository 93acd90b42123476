// What the keeper costs: the same terminals in this process and in the keeper, side by side in one run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const ROUNDS = 5;
const FILE_MB = 200;
const KEYS = 3000;

const Throughput = z.object({ bytes: z.number(), seconds: z.number() });
const Times = z.object({ p50Ms: z.number(), p99Ms: z.number() });

/** The first is what the second is compared with. */
const CONTENDERS = ["linux-pty", "keeper-pty"] as const;
type Contender = (typeof CONTENDERS)[number];

const LINE = "the quick brown fox jumps over the lazy dog 0123456789 \u001b[31mred\u001b[0m end\n";

function measure(contender: Contender, name: string, argument: string): unknown {
  const worker = join(import.meta.dirname, "pty-worker.ts");
  const args = ["--expose-gc", "--conditions=nacre-source", worker, contender, name, argument];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** What was measured of one contender, in all rounds. */
interface Figures {
  readonly mbPerSecond: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
}

function measureRound(contender: Contender, file: string, figures: Figures): void {
  const { bytes, seconds } = Throughput.parse(measure(contender, "throughput", file));
  const echo = Times.parse(measure(contender, "echo", String(KEYS)));
  figures.mbPerSecond.push(bytes / 1e6 / seconds);
  figures.p50Ms.push(echo.p50Ms);
  figures.p99Ms.push(echo.p99Ms);
}

/** Runs all measurements in turns, so that a noisy machine is noisy for both, and prints medians and ratios. */
export function benchKeeper(): void {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const file = join(directory, "text");
    writeFileSync(file, LINE.repeat(Math.ceil((FILE_MB * 1e6) / Buffer.byteLength(LINE))));
    const figures = CONTENDERS.map((): Figures => ({ mbPerSecond: [], p50Ms: [], p99Ms: [] }));
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`round ${round + 1} of ${ROUNDS}`);
      const turns = [...CONTENDERS.entries()];
      for (const [index, contender] of round % 2 === 0 ? turns : turns.toReversed()) {
        measureRound(contender, file, figures[index]!);
      }
    }
    print(figures);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function print([inProcess, kept]: readonly Figures[]): void {
  if (!inProcess || !kept) return;
  const row = (name: string, of: keyof Figures, digits: number): void => {
    const [ours, theirs] = [median(kept[of]), median(inProcess[of])];
    const shown = `${theirs.toFixed(digits)} in process, ${ours.toFixed(digits)} through the keeper`;
    console.log(`${name}: ${shown}: ${(ours / theirs).toFixed(2)} ×`);
  };
  console.log(`cat of ${FILE_MB} MB and ${KEYS} keys, median of ${ROUNDS} rounds in turns`);
  row("MB/s", "mbPerSecond", 1);
  row("echo p50 ms", "p50Ms", 3);
  row("echo p99 ms", "p99Ms", 3);
}
