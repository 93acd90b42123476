import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { programOf } from "../testing/program-of.ts";

const HOST = programOf(join(import.meta.dirname, "../index.ts"));

/** How many homes are fought for; those of a round at the same time. */
const ROUNDS = 4;
const HOMES_PER_ROUND = 5;

/** A process that starts a daemon for each home in a line it reads, says who of them won, and then stops them. */
const RACER = `
  const { startDaemon } = await import(${JSON.stringify(HOST.at(-1))});
  const { createInterface } = await import("node:readline");
  const config = JSON.parse(process.argv[1]);
  let daemons = [];
  const start = async (home) => {
    const directories = { home, state: home, run: home + "/run", config: home };
    try {
      daemons.push(await startDaemon({ config, directories, version: "0", log: () => {} }));
      return "won";
    } catch (error) {
      return error.code;
    }
  };
  for await (const line of createInterface(process.stdin)) {
    if (line === "stop") {
      await Promise.all(daemons.splice(0).map((daemon) => daemon.stop()));
      console.log('"stopped"');
    } else console.log(JSON.stringify(await Promise.all(JSON.parse(line).map(start))));
  }`;

class Racer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const config = JSON.stringify({ ...defaultConfig(), port: 0 });
    const args = [...HOST.slice(0, -1), "--input-type=module", "-e", RACER, config];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Tells it something and resolves with what it says. */
  async tell(line: string): Promise<unknown> {
    this.#child.stdin?.write(`${line}\n`);
    return JSON.parse(String((await this.#lines.next()).value));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

test("of two daemons that start at once for one home exactly one wins, in 20 homes", async () => {
  await using first = new Racer();
  await using second = new Racer();
  for (let round = 0; round < ROUNDS; round++) {
    const homes = Array.from({ length: HOMES_PER_ROUND }, () =>
      mkdtempSync(join(tmpdir(), "nacre-race-")),
    );
    // Each begins at another end, so that neither is always the faster one.
    const [ours, theirs] = (await Promise.all([
      first.tell(JSON.stringify(homes)),
      second.tell(JSON.stringify(homes.toReversed())),
    ])) as [string[], string[]];
    const others = theirs.toReversed();
    const outcomes = ours.map((outcome, index) => new Set([outcome, others[index]]));
    expect(outcomes).toEqual(homes.map(() => new Set(["already_exists", "won"])));
    expect(await Promise.all([first.tell("stop"), second.tell("stop")])).toEqual([
      "stopped",
      "stopped",
    ]);
  }
});
