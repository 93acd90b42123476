import { parseArgs } from "node:util";
import { type Figure, measureFigures } from "./figure.ts";

/** Measures what the command line asks for: all figures or those it names, a part of the work or with `--full` all of it. */
export async function runFigures(all: readonly Figure[], shortScale: number): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
  });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const scale = values.full ? 1 : shortScale;
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
  const figures = all.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
  const missed = await measureFigures(figures, { scale, seed }, say);
  process.exitCode = missed === 0 ? 0 : 1;
}
