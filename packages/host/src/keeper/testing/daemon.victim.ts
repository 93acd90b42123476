// A daemon as far as a keeper can see one: records what it reads in files, acknowledges that, and may be killed any time.
import {
  appendFileSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { scriptLaunch } from "../../pty/contract/pty-fixtures.ts";
import type { Pty } from "../../pty/pty.ts";
import { KeeperLink } from "../keeper-link.ts";
import { createKeeperDriver } from "../keeper-pty.ts";
import { quickCase, SURVIVAL_CASES, type SurvivalCase } from "./survival-cases.ts";

/** `life` is the number of this daemon's life; in the last one everything is read to its end. */
const [socketPath = "", directory = "", life = "0", isLast = ""] = process.argv.slice(2);
const QUICK_PER_LIFE = 4;

const file = (name: string, what: string): string => join(directory, `${name}.${what}`);
const link = await KeeperLink.connect({ socketPath, version: "victim" });
const driver = createKeeperDriver(link);

/** Records one Pty from where its file ends. */
async function record(name: string, pty: Pty): Promise<void> {
  const output = openSync(file(name, "output"), "a");
  let recorded = statSync(file(name, "output")).size;
  const exited = pty.exited.then((exit) =>
    appendFileSync(file(name, "exits"), `${JSON.stringify(exit)}\n`),
  );
  for (let chunk = await pty.read(); chunk; chunk = await pty.read(chunk.bytes)) {
    if (chunk.offset !== recorded) {
      appendFileSync(file(name, "faults"), `${chunk.offset} follows ${recorded}\n`);
    }
    recorded += writeSync(output, chunk.bytes);
    pty.acknowledge?.(recorded);
  }
  await exited;
  if (isLast) await pty[Symbol.asyncDispose]();
}

async function start({ name, script }: SurvivalCase): Promise<Pty> {
  const stop = join(directory, "stop");
  const pty = await driver.spawn(scriptLaunch(script, file(name, "truth"), stop));
  writeFileSync(file(name, "output"), "");
  writeFileSync(join(directory, pty.id), name);
  return pty;
}

async function adopt(name: string, id: string): Promise<Pty> {
  const pty = await driver.adopt(id, statSync(file(name, "output")).size);
  if (isLast && name === "stopped") await pty.signal("SIGCONT", "leader");
  return pty;
}

const running = await driver.list();
const recording: Promise<void>[] = [];
for (const { id } of running) {
  const name = readFileSync(join(directory, id), "utf8");
  recording.push(record(name, await adopt(name, id)));
}
const quick = Array.from({ length: QUICK_PER_LIFE }, (_, index) => `quick-${life}-${index}`);
const added = [...(running.length === 0 ? SURVIVAL_CASES : []), ...quick.map(quickCase)];
for (const one of isLast ? [] : added) recording.push(record(one.name, await start(one)));
process.stdout.write("up\n");
await Promise.all(recording);
process.stdout.write(`done ${(await driver.list()).length}\n`);
link[Symbol.dispose]();
