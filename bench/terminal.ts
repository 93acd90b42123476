// Whole terminals beside programs that do part of what they do, in turns so that a noisy machine is noisy for all.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const ROUNDS = 3;
const FILE_MB = 100;
const TTYD_PORT = 7681;

const Throughput = z.object({
  bytes: z.number(),
  seconds: z.number(),
  cpuSeconds: z.number().optional(),
  screenBehindMs: z.number().optional(),
});
const Times = z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() });
const Idle = z.object({
  totalMb: z.number(),
  kbEach: z.number(),
  threads: z.number(),
  createSeconds: z.number(),
  idleCpu: z.number(),
});

function hasProgram(name: string): boolean {
  return spawnSync("which", [name]).status === 0;
}

interface Contender {
  readonly name: string;
  readonly does: string;
  readonly args: readonly string[];
}

function measure(...args: readonly string[]): unknown {
  const worker = join(import.meta.dirname, "terminal-worker.ts");
  const flags = ["--expose-gc", "--conditions=nacre-source", worker, ...args];
  // A session of its own, like a daemon.
  const command = ["--wait", process.execPath, ...flags];
  return JSON.parse(execFileSync("setsid", command, { encoding: "utf8" }));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function writeText(path: string): void {
  const line =
    "the quick brown fox jumps over the lazy dog 0123456789 \u001b[31mred\u001b[0m end\n";
  writeFileSync(path, line.repeat(Math.ceil((FILE_MB * 1e6) / Buffer.byteLength(line))));
}

function contenders(file: string): Contender[] {
  return [
    { name: "nacre", does: "records, indexes, draws, shows", args: ["throughput", "1", file] },
    {
      name: "nacre, 10 at once",
      does: "the same, together",
      args: ["throughput", "10", `${file}-10`],
    },
    { name: "bytes to a socket", does: "shows", args: ["naive", "", file] },
    ...(hasProgram("ttyd")
      ? [{ name: "ttyd", does: "shows", args: ["ttyd", String(TTYD_PORT), file] }]
      : []),
    ...(hasProgram("tmux")
      ? [{ name: "tmux attached", does: "draws, shows", args: ["tmux", "", file] }]
      : []),
  ];
}

/** Runs all measurements and prints them with the targets. */
export function benchTerminal(): void {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const file = join(directory, "text");
    writeText(file);
    const tenth = execFileSync("head", ["-c", String((FILE_MB * 1e6) / 10), file], {
      maxBuffer: FILE_MB * 1e6,
    });
    writeFileSync(`${file}-10`, tenth);
    throughput(contenders(file));
    latency();
    memory();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function throughput(all: readonly Contender[]): void {
  const rates = all.map((): number[] => []);
  const behind: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    console.error(`round ${round + 1} of ${ROUNDS}`);
    const turns = [...all.entries()];
    for (const [index, { args }] of round % 2 === 0 ? turns : turns.toReversed()) {
      const { bytes, seconds, screenBehindMs } = Throughput.parse(measure(...args));
      rates[index]?.push(bytes / 1e6 / seconds);
      if (index === 0 && screenBehindMs !== undefined) behind.push(screenBehindMs);
    }
  }
  console.log(`cat of ${FILE_MB} MB on a cooked terminal, one viewer, median of ${ROUNDS} rounds`);
  for (const [index, { name, does }] of all.entries()) {
    const each = (rates[index] ?? []).map((rate) => rate.toFixed(0)).join(" ");
    const rate = median(rates[index] ?? []).toFixed(1);
    console.log(`${name.padEnd(18)} ${rate.padStart(6)} MB/s  (${each})  ${does}`);
  }
  const ours = median(rates[0] ?? []);
  console.log(`nacre: ${ours.toFixed(1)} MB/s (target ≥ 35)`);
  console.log(`nacre: the screen was ${median(behind).toFixed(0)} ms behind at the end`);
  for (const [index, { name }] of all.entries()) {
    if (index < 2) continue;
    const target = name === "ttyd" ? " (target ≥ 0.65)" : "";
    console.log(`nacre: ${(ours / median(rates[index] ?? [])).toFixed(2)} × ${name}${target}`);
  }
  if (!hasProgram("ttyd")) console.log("ttyd is not installed here, so it was not compared");
}

function latency(): void {
  const show = (name: string, target: string, measured: unknown): void => {
    const { p50Ms, p99Ms } = Times.parse(measured);
    console.log(`${name}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms${target}`);
  };
  show("key echo, idle", "", measure("echo", "0", "2000"));
  show("key echo, 10 others flood", " (target p99 ≤ 50)", measure("echo", "10", "1000"));
  show("first prompt of bash", "", measure("prompt", "20"));
  show("runCommand `true` in bash", "", measure("commands", "200"));
}

function memory(): void {
  for (const count of [100, 1000]) {
    const idle = Idle.parse(measure("idle", String(count)));
    const target = count === 1000 ? " (target ≤ 600)" : "";
    console.log(
      `${count} idle terminals: ${idle.totalMb.toFixed(0)} MB in all${target}, ${idle.kbEach.toFixed(0)} KB each, ` +
        `${idle.threads} threads, ${(100 * idle.idleCpu).toFixed(2)} % CPU, made at ${(count / idle.createSeconds).toFixed(0)}/s`,
    );
  }
}
