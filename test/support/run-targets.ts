import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Target, measureTargets } from "./target.ts";
import { addToLedger } from "./ledger.ts";

/** Measures what the command line asks for: all targets or those it names, a part of the work, which `--scale` can say, or with `--full` all of it. With `--ledger` it is written down. */
export async function runTargets(all: readonly Target[], shortScale: number): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      ledger: { type: "boolean", default: false },
      scale: { type: "string" },
      seed: { type: "string" },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const scale = values.full ? 1 : Number(values.scale ?? shortScale);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
  const targets = all.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
  const suite = basename(dirname(process.argv[1] ?? ""));
  const missed = await measureTargets(targets, { scale, seed }, say, (measured) => {
    if (values.ledger) addToLedger({ suite, isFull: scale >= 1, seed }, measured);
  });
  process.exitCode = missed === 0 ? 0 : 1;
}
