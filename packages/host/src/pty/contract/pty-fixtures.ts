// What the cases of the Pty contract share: launching a script and reading what it says.
import assert from "node:assert/strict";
import { createHash, type Hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_SIZE, type ErrorCode, NacreError } from "@nacre/contracts";
import type { Chunk, Pty, PtyDriver, PtyLaunch } from "../pty.ts";

// What is different about programs without a terminal, for every driver that starts them on pipes.

const NO_TERMINAL = "there is no terminal: no line discipline, no foreground, no size, no /dev/tty";
const NAMES_TERMINAL =
  "the case knows terminals only; pipe-pty.isolated.test.ts has the same for pipes";

/** Pipes change no byte by nature, so scripts need not ask for it. */
export const rawByNature = (driver: PtyDriver): PtyDriver => ({
  ...driver,
  spawn: (launch) =>
    driver.spawn({ ...launch, args: launch.args.map((arg) => arg.replace(`${RAW}; `, "")) }),
});

/** The cases that pipes cannot pass, each with its reason. */
export const PIPES_CANNOT: ReadonlyMap<string, string> = new Map([
  ["the terminal erases whole UTF-8 characters", NO_TERMINAL],
  ["echo and line mode can be read while a secret is asked for", NO_TERMINAL],
  ["the program leads a session that has the terminal and is in the foreground", NO_TERMINAL],
  ["a signal reaches the job in the foreground and not the shell", NO_TERMINAL],
  ["a program that lets go of its terminal goes on, and may come back to it", NO_TERMINAL],
  ["a program sees its size and is told when it changes", NO_TERMINAL],
  ["what escaped every tie but holds the terminal is named and left alone", NAMES_TERMINAL],
  [
    "a program has no descriptor but its terminal, also after others were closed in between",
    NAMES_TERMINAL,
  ],
]);

/** One behaviour that every driver must show, or be listed with the reason why it cannot. */
export interface PtyCase {
  readonly name: string;
  run(driver: PtyDriver): Promise<void>;
}

/** Makes a script hand its bytes through unchanged in both directions. */
export const RAW = "stty raw -echo -opost";

/** A program that sends back what it gets, byte by byte, once it said `ready`. */
export const ECHO_LAUNCH = scriptLaunch(`${RAW}; printf ready; exec cat`);

/** A program that never reads, once it said `ready`. */
export const DEAF_LAUNCH = scriptLaunch(`${RAW}; printf ready; exec sleep 1000`);

/** Runs a script in /bin/sh; `$1` and so on are the arguments. */
export function scriptLaunch(script: string, ...args: readonly string[]): PtyLaunch {
  return programLaunch("/bin/sh", "-c", script, "sh", ...args);
}

/** Runs a program by its absolute path. */
export function programLaunch(file: string, ...args: readonly string[]): PtyLaunch {
  return {
    file,
    args,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TERM: "xterm-256color" },
    cwd: "/",
    allowedRoots: [],
    size: DEFAULT_SIZE,
  };
}

/** Reads a Pty and remembers, so that a case can ask for what came so far. */
export class PtyReader {
  readonly #pty: Pty;
  readonly #hash: Hash = createHash("sha256");
  #text = "";
  #bytes = 0;
  #spare: Uint8Array<ArrayBuffer> | undefined;

  constructor(pty: Pty) {
    this.#pty = pty;
  }

  /** Everything read so far, one character per byte. */
  get text(): string {
    return this.#text;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reads one chunk and checks that it follows the last one and owns its buffer. */
  async next(): Promise<Chunk | undefined> {
    const chunk = await this.#pty.read(this.#spare);
    this.#spare = chunk?.bytes;
    if (!chunk) return undefined;
    assert.equal(chunk.offset, this.#bytes, "chunks follow each other without gap or overlap");
    assert.equal(chunk.bytes.byteOffset, 0, "a chunk is the first part of its buffer");
    assert.ok(chunk.bytes.byteLength > 0, "a chunk is never empty");
    this.#bytes += chunk.bytes.byteLength;
    this.#hash.update(chunk.bytes);
    // Long outputs are compared by their hash; only their beginning is kept as text.
    if (this.#bytes < 1_000_000) this.#text += Buffer.from(chunk.bytes).toString("latin1");
    return chunk;
  }

  /** Reads until the text is there; fails if the output ends first. */
  async until(text: string): Promise<string> {
    while (!this.#text.includes(text)) {
      const chunk = await this.next();
      assert.ok(chunk, `the output ended before ${JSON.stringify(text)}: ${this.#text}`);
    }
    return this.#text;
  }

  /** Reads to the end of the output. */
  async toEnd(): Promise<string> {
    while (await this.next());
    return this.#text;
  }

  /** SHA-256 of everything read; call it last. */
  digest(): string {
    return this.#hash.digest("hex");
  }
}

/** Spawns a program and waits until it says `ready`; ends it when it does not. */
export async function spawnReady(driver: PtyDriver, launch: PtyLaunch) {
  const pty = await driver.spawn(launch);
  await using failure = new AsyncDisposableStack();
  failure.use(pty);
  // A driver that echoes by nature has no program to say it.
  if (pty.leader.pid === 0) await pty.write(ascii("ready"));
  const reader = new PtyReader(pty);
  await reader.until("ready");
  failure.move();
  return { pty, reader };
}

/** Spawns a launch and reads all of it. */
export async function runToEnd(driver: PtyDriver, launch: PtyLaunch) {
  await using pty = await driver.spawn(launch);
  const reader = new PtyReader(pty);
  const text = await reader.toEnd();
  return { text, bytes: reader.bytes, digest: reader.digest(), exit: await pty.exited };
}

/** A directory that is gone when the case is over. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "nacre-pty-"));

  file(name: string): string {
    return join(this.path, name);
  }

  digest(name: string): string {
    return createHash("sha256")
      .update(readFileSync(this.file(name)))
      .digest("hex");
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Checks that a call is refused with exactly this code. */
export async function assertRefused(code: ErrorCode, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof NacreError, `expected a NacreError, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** Bytes of ASCII text. */
export const ascii = (text: string): Uint8Array => Buffer.from(text, "latin1");
