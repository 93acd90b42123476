// `npm run test:pty`: the promises about PTYs, measured; `--full` is the whole programme and takes minutes.
import { parseArgs } from "node:util";
import { choosePtyDriver } from "@nacre/host";
import { FIGURES } from "./targets.ts";
import { seededRandom } from "../support/seeded-random.ts";

/** A short run does a fiftieth of the work. */
const SHORT_SCALE = 0.02;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;
const driver = await choosePtyDriver();
const selected = FIGURES.filter(({ id }) => positionals.length === 0 || positionals.includes(id));

console.log(
  `${driver.name}, Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`,
);
let missed = 0;
for (const { id, name, target, measure } of selected) {
  const startedAt = performance.now();
  if (!process.stderr.isTTY) console.error(`${id} …`);
  const progress = (done: number, of: number): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${id} ${done}/${of}\u001b[K`);
  };
  let verdict: string;
  try {
    verdict = `✓ ${await measure({ driver, scale, random: seededRandom(seed), progress })}`;
  } catch (error) {
    missed++;
    verdict = `✗ ${error instanceof Error ? error.message : String(error)}`;
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${id.padEnd(7)}${name} (${target})\n       ${verdict} (${seconds} s)`);
}
console.log(`${selected.length - missed} of ${selected.length} figures met`);
process.exitCode = missed === 0 ? 0 : 1;
