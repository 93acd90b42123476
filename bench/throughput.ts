import { BARE_LAYOUT } from "./throughput-contenders.ts";
import { at, type Figures, measureContenders, median } from "./throughput-measure.ts";

const ROUNDS = 5;
const FILE_MB = 200;
const KEYS = 300;

/** The whole of it. */
export const FULL_PLAN = { rounds: ROUNDS, megabytes: FILE_MB, keys: KEYS, rests: true } as const;

/** What our rate is to be at least, in rates of others. */
export const RATE_TARGETS: Readonly<Record<string, number>> = {
  ttyd: 1,
  "node-pty + ws": 0.8,
  "tmux attached": 1.3,
};

export const MAX_DRAWN_MS = 2000;
export const MAX_P50_MS = 2;
export const MAX_P99_MS = 10;
export const MAX_TTYD_TIMES = 1.5;

/** Runs all measurements and prints them with the targets. */
export async function benchThroughput(): Promise<void> {
  print(await measureContenders({ ...FULL_PLAN, tell: (line) => console.error(line) }));
}

const verdict = (isMet: boolean): string => (isMet ? "met" : "missed");

function print(named: ReadonlyMap<string, Figures>): void {
  const ours = named.get("nacre")!;
  console.log(`cat of ${FILE_MB} MB on a cooked terminal, one viewer, median of ${ROUNDS} rounds`);
  for (const [name, { does, megabytesPerSecond, cpuMsPerMegabyte }] of named) {
    if (megabytesPerSecond.length === 0) continue;
    const each = megabytesPerSecond.map((rate) => rate.toFixed(0)).join(" ");
    const rate = median(megabytesPerSecond).toFixed(1).padStart(6);
    const cpu = median(cpuMsPerMegabyte).toFixed(1).padStart(5);
    console.log(
      `${name.padEnd(14)} ${rate} MB/s (${each}), ${cpu} ms of processor per MB: ${does}`,
    );
  }
  for (const [name, target] of Object.entries(RATE_TARGETS)) {
    const theirs = named.get(name);
    if (!theirs) {
      console.log(`nacre against ${name}: not compared, it is not installed here`);
      continue;
    }
    const ratio = median(ours.megabytesPerSecond) / median(theirs.megabytesPerSecond);
    console.log(
      `nacre against ${name}: ${ratio.toFixed(2)} × (target ≥ ${target}: ${verdict(ratio >= target)})`,
    );
  }
  const [drawnMs, restMs] = [median(ours.drawnMs), median(ours.restMs)];
  const isDrawn = `(target ≤ ${MAX_DRAWN_MS}: ${verdict(drawnMs <= MAX_DRAWN_MS)})`;
  console.log(`nacre: all is drawn ${drawnMs.toFixed(0)} ms after it was shown ${isDrawn}`);
  const later = median(ours.laterMsPerMegabyte).toFixed(1);
  console.log(
    `nacre: all is indexed after ${restMs.toFixed(0)} ms and ${later} ms more of processor per MB`,
  );
  printKeys(named);
}

function printKeys(named: ReadonlyMap<string, Figures>): void {
  for (const [name, { keyMs }] of named) {
    if (keyMs.length === 0) continue;
    const [p50, p99] = [at(keyMs, 0.5), at(keyMs, 0.99)];
    const isMet = p50 <= MAX_P50_MS && p99 <= MAX_P99_MS;
    const target = `target ≤ ${MAX_P50_MS} and ≤ ${MAX_P99_MS} ms: ${verdict(isMet)}`;
    console.log(
      `key echo, ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms of ${keyMs.length} keys` +
        (name === "nacre" ? ` (${target})` : ""),
    );
  }
  const theirs = named.get("ttyd");
  if (!theirs) return console.log("key echo against ttyd: not compared, it is not installed here");
  const ratioOf = (name: string, share: number): number =>
    at(named.get(name)!.keyMs, share) / at(theirs.keyMs, share);
  const ratio = ratioOf("nacre", 0.5);
  console.log(
    `key echo against ttyd: p50 ${ratio.toFixed(2)} ×, p99 ${ratioOf("nacre", 0.99).toFixed(2)} × ` +
      `(target ≤ ${MAX_TTYD_TIMES}: ${verdict(ratio <= MAX_TTYD_TIMES)}); ` +
      `the same processes and threads with nothing in them: p50 ${ratioOf(BARE_LAYOUT, 0.5).toFixed(2)} ×`,
  );
}
