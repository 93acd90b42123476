// The ledger: what was measured when, of which commit and on which machine; one line of JSON for each.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Measured } from "./target.ts";

const ROOT = join(import.meta.dirname, "../..");
const LEDGER = join(ROOT, "docs/reliability.jsonl");

const LedgerLine = z.strictObject({
  suite: z.string(),
  target: z.string(),
  requirement: z.string(),
  isMet: z.boolean(),
  value: z.string(),
  /** How often, where that can be said with a number. */
  n: z.int().optional(),
  isFull: z.boolean(),
  seed: z.int(),
  seconds: z.number(),
  commit: z.string(),
  date: z.iso.date(),
  machine: z.string(),
});

/** One measurement. */
export type LedgerLine = z.infer<typeof LedgerLine>;

/** Everything that was measured, oldest first. */
export function readLedger(): readonly LedgerLine[] {
  if (!existsSync(LEDGER)) return [];
  const lines = readFileSync(LEDGER, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => LedgerLine.parse(JSON.parse(line)));
}

/** What all measurements of a run have in common. */
export type LedgerRun = Pick<LedgerLine, "suite" | "isFull" | "seed">;

/** Adds a measurement of now. */
export function addToLedger(run: LedgerRun, { target, isMet, words, seconds, n }: Measured): void {
  const line: LedgerLine = {
    ...run,
    target: target.id,
    requirement: target.requirement,
    isMet,
    value: withoutPlaces(words),
    ...(n === undefined ? {} : { n }),
    seconds: Math.round(seconds * 10) / 10,
    commit: presentCommit(),
    date: new Date().toISOString().slice(0, "2000-01-01".length),
    machine: machineName(),
  };
  appendFileSync(LEDGER, `${JSON.stringify(line)}\n`);
}

/** A failure may name files of the machine; nobody else has them. */
const withoutPlaces = (words: string): string =>
  words
    .split("\n", 1)
    .join()
    .replaceAll(/\/[\w.+/-]{2,}/g, "…");

function presentCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  const hash = git("rev-parse", "--short=12", "HEAD");
  // The ledger itself changes with each line.
  const isChanged = git("status", "--porcelain", "--", ".", ":!docs") !== "";
  return isChanged ? `${hash} with changes` : hash;
}

/** What a target depends on, and nothing that names this one machine. */
function machineName(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? "unknown processor";
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return `${model} × ${processors.length}, ${gigabytes} GiB, Linux ${release()}, Node ${process.version}`;
}
