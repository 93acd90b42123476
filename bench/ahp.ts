// The Agent Host Protocol beside the raw sockets of the same daemon, in turns so that a noisy machine is noisy for both.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { cpuSeconds } from "./processes.ts";
import { isOfKind, tooEarly } from "./viewer-told.ts";

const ROUNDS = 5;
const FILE_MB = 50;
const KEYS_EACH_ROUND = 1000;

/** What the program says when it has written everything. */
const END = "all is written";

const WIRES = ["raw", "ahp"] as const;
type Wire = (typeof WIRES)[number];

const Told = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open") }),
  z.object({ kind: z.literal("flood"), bytes: z.number(), resyncs: z.number() }),
  z.object({ kind: z.literal("keys"), times: z.array(z.number()) }),
]);

/** What one flood showed. */
interface Flooded {
  /** What each viewer was shown each second. */
  readonly megabytesPerSecond: number;
  /** What the daemon worked for it. */
  readonly cpuSeconds: number;
  readonly resyncs: number;
}

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const median = (values: readonly number[]): number => at(values, 0.5);

/** Runs all measurements and prints them with the targets. */
export async function benchAhp(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const file = join(home, "text");
    writeText(file);
    await using daemon = await DaemonProcess.start({ home });
    const bench = new AhpBench(daemon, file);
    // A host runs for days: the first bytes only compile the code.
    for (const wire of WIRES) await bench.flood(wire, 1);
    for (const viewers of [1, 10]) await compareFloods(bench, viewers);
    await compareKeys(bench);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function writeText(path: string): void {
  const line =
    "the quick brown fox jumps over the lazy dog 0123456789 \u001b[31mred\u001b[0m end\r\n";
  writeFileSync(path, line.repeat(Math.ceil((FILE_MB * 1e6) / line.length)));
}

async function inTurns(measure: (wire: Wire) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    console.error(`round ${round + 1} of ${ROUNDS}`);
    for (const wire of round % 2 === 0 ? WIRES : WIRES.toReversed()) await measure(wire);
  }
}

async function compareFloods(bench: AhpBench, viewers: number): Promise<void> {
  const measured: Record<Wire, Flooded[]> = { raw: [], ahp: [] };
  await inTurns(async (wire) => void measured[wire].push(await bench.flood(wire, viewers)));
  console.log(`cat of ${FILE_MB} MB, ${viewers} viewers, median of ${ROUNDS} rounds`);
  const rate = (wire: Wire): number =>
    median(measured[wire].map(({ megabytesPerSecond }) => megabytesPerSecond));
  const work = (wire: Wire): number =>
    median(measured[wire].map((flooded) => flooded.cpuSeconds)) / FILE_MB;
  for (const wire of WIRES) {
    const each = measured[wire].map(({ megabytesPerSecond }) => megabytesPerSecond.toFixed(0));
    const resyncs = measured[wire].reduce((sum, flooded) => sum + flooded.resyncs, 0);
    console.log(
      `${wire} ${rate(wire).toFixed(1).padStart(6)} MB/s each  (${each.join(" ")})  ` +
        `${(1000 * work(wire)).toFixed(1)} ms of processor per MB, ${resyncs} times resynced`,
    );
  }
  const ratio = (rate("ahp") / rate("raw")).toFixed(2);
  console.log(`ahp: ${ratio} × raw with ${viewers} viewers (target ≥ 0.5)`);
}

async function compareKeys(bench: AhpBench): Promise<void> {
  const times: Record<Wire, number[]> = { raw: [], ahp: [] };
  await inTurns(async (wire) => void times[wire].push(...(await bench.keys(wire))));
  for (const wire of WIRES) {
    const [p50, p99] = [at(times[wire], 0.5), at(times[wire], 0.99)];
    console.log(`key echo, ${wire}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  }
  const added = (share: number): string => (at(times.ahp, share) - at(times.raw, share)).toFixed(2);
  console.log(`key echo, added by ahp: p50 ${added(0.5)} ms, p99 ${added(0.99)} ms`);
}

/** A daemon in a process of its own, and viewers in theirs. */
class AhpBench {
  readonly #daemon: DaemonProcess;
  readonly #file: string;

  constructor(daemon: DaemonProcess, file: string) {
    this.#daemon = daemon;
    this.#file = file;
  }

  /** Shows a file to so many viewers over one wire. */
  async flood(wire: Wire, count: number): Promise<Flooded> {
    await using terminal = await this.#start(
      `read go; cat '${this.#file}'; echo '${END}'; read end`,
    );
    const viewers = Array.from({ length: count }, () =>
      this.#view(wire, "flood", terminal.id, END),
    );
    await Promise.all(viewers.map((viewer) => heard(viewer, "open")));
    const ended = Promise.all(viewers.map((viewer) => heard(viewer, "flood")));
    const cpuBefore = cpuSeconds(this.#daemon.pid);
    const from = performance.now();
    await this.#daemon.client().sendInput({ id: terminal.id, data: "\n" });
    const told = await ended;
    const seconds = (performance.now() - from) / 1000;
    for (const viewer of viewers) viewer.disconnect();
    const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
    return {
      megabytesPerSecond: sum(told.map(({ bytes }) => bytes)) / count / 1e6 / seconds,
      cpuSeconds: cpuSeconds(this.#daemon.pid) - cpuBefore,
      resyncs: sum(told.map(({ resyncs }) => resyncs)),
    };
  }

  /** Presses keys in a program that writes what is typed; how long each took until it was shown. */
  async keys(wire: Wire): Promise<readonly number[]> {
    await using terminal = await this.#start("cat");
    const viewer = this.#view(wire, "keys", terminal.id, String(KEYS_EACH_ROUND));
    const { times } = await heard(viewer, "keys");
    viewer.disconnect();
    return times;
  }

  /** Starts a line of shell on a terminal that passes bytes as they are. */
  async #start(line: string): Promise<{ readonly id: TerminalId } & AsyncDisposable> {
    const client = this.#daemon.client();
    const args = ["-c", `stty raw -echo icrnl; echo ready; ${line}`];
    const { id } = await client.createTerminal({ command: "/bin/sh", args });
    await client.waitFor({ id, until: [{ kind: "text", text: "ready" }], after: 0 });
    return {
      id,
      [Symbol.asyncDispose]: async () => void (await client.disposeTerminal({ id })),
    };
  }

  #view(wire: Wire, work: string, id: TerminalId, end: string): ChildProcess {
    const { url, token } = this.#daemon;
    const place = wire === "raw" ? id : id.replace("terminal:", "ahp-terminal:/");
    const address = url.replace("http:", "ws:");
    const viewer = join(import.meta.dirname, "ahp-viewer.ts");
    return fork(viewer, [wire, work, address, token, place, end]);
  }
}

type Told = z.infer<typeof Told>;

/** The next thing of this kind that a viewer tells; what else it tells before does not count. */
async function heard<Kind extends Told["kind"]>(
  viewer: ChildProcess,
  kind: Kind,
): Promise<Extract<Told, { kind: Kind }>> {
  for (;;) {
    const [message]: unknown[] = await Promise.race([once(viewer, "message"), tooEarly(viewer)]);
    const told = Told.parse(message);
    if (isOfKind(told, kind)) return told;
  }
}
