// Kills the daemon of a keeper again and again, and checks that its programs did not notice.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { quickCase, SURVIVAL_CASES } from "./survival-cases.ts";
import type { TestKeeper } from "./test-keeper.ts";

const VICTIM = fileURLToPath(new URL("./daemon.victim.ts", import.meta.url));

/** What the daemon records of the flood before it is killed. */
const GROWTH_BYTES = 2_000_000;

/** What is left of the flood when everything else is told to end: more than a ring, so that it had to wait. */
const REST_BYTES = 20_000_000;

/** One daemon after the other, with one keeper. */
export class Survival implements Disposable {
  readonly #keeper: TestKeeper;
  readonly #lives: number;
  readonly #directory: string;
  #daemon: ChildProcess | undefined;

  constructor(keeper: TestKeeper, lives: number) {
    this.#keeper = keeper;
    this.#lives = lives;
    this.#directory = keeper.directory;
    writeFileSync(this.#file("flood", "truth"), randomBytes(lives * 12_000_000 + REST_BYTES));
  }

  /** Lives that end by SIGKILL, then one that reads everything to its end. */
  async run(): Promise<void> {
    for (let life = 0; life < this.#lives; life++) {
      const daemon = await this.#start(String(life));
      const recorded = this.#size("flood", "output");
      await until(() => this.#size("flood", "output") >= recorded + GROWTH_BYTES);
      daemon.kill("SIGKILL");
      await once(daemon, "exit");
      const written = this.#size("shell", "truth");
      await until(() => this.#size("shell", "truth") > written);
    }
    writeFileSync(join(this.#directory, "stop"), "");
    const last = await this.#start(String(this.#lives), "last");
    let said = "";
    last.stdout?.on("data", (text: Buffer) => (said += text.toString()));
    const [code]: unknown[] = await once(last, "close");
    assert.deepEqual([code, said.trim()], [0, "done 0"], "everything is read and forgotten");
  }

  /** Every byte and every end, of every program. */
  check(): number {
    const names = readdirSync(this.#directory).flatMap(
      (name) => /(.*)\.output$/.exec(name)?.[1] ?? [],
    );
    for (const name of names) {
      const known = SURVIVAL_CASES.find((one) => one.name === name) ?? quickCase(name);
      assert.equal(existsSync(this.#file(name, "faults")), false, `${name} has gaps`);
      assert.equal(this.#digest(name, "output"), this.#digest(name, "truth"), `${name} differs`);
      const told = readFileSync(this.#file(name, "exits"), "utf8").trim().split("\n");
      assert.equal(new Set(told).size, 1, `${name} ended in more than one way: ${told.join()}`);
      const { outputBytes, ...exit } = JSON.parse(told[0] ?? "") as Record<string, unknown>;
      assert.deepEqual(exit, known.exit, name);
      if (exit["drained"]) assert.equal(outputBytes, this.#size(name, "output"), name);
    }
    return names.length;
  }

  [Symbol.dispose](): void {
    this.#daemon?.kill("SIGKILL");
  }

  async #start(...args: readonly string[]): Promise<ChildProcess> {
    const { socketPath } = this.#keeper;
    const options = ["--conditions=nacre-source", VICTIM, socketPath, this.#directory];
    const daemon = spawn(process.execPath, [...options, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#daemon = daemon;
    const [said]: unknown[] = await Promise.race([
      once(daemon.stdout, "data"),
      once(daemon, "exit"),
    ]);
    assert.match(String(said), /^up/, "a daemon could not go on where the last one was killed");
    return daemon;
  }

  #file(name: string, what: string): string {
    return join(this.#directory, `${name}.${what}`);
  }

  #size(name: string, what: string): number {
    return statSync(this.#file(name, what), { throwIfNoEntry: false })?.size ?? 0;
  }

  #digest(name: string, what: string): string {
    return createHash("sha256")
      .update(readFileSync(this.#file(name, what)))
      .digest("hex");
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}
