// A shell on a real terminal, to type into and to look at.
import assert from "node:assert/strict";
import { DEFAULT_SIZE } from "@nacre/contracts";
import { choosePtyDriver, type Pty } from "@nacre/host";
import { vi } from "vitest";
import {
  type ForegroundState,
  readForegroundState,
} from "../../packages/host/src/command/foreground-state.ts";
import { OutputParser } from "../../packages/host/src/shell/output-parser.ts";
import { readText } from "../../packages/host/src/base/text/output-text.ts";

/** Long enough for a busy machine; nothing waits for it that goes well. */
export const DEADLINE = { timeout: 8000, interval: 10 };

const SHELLS = {
  bash: ["/bin/bash", "--noprofile", "--norc", "-i"],
  zsh: ["/usr/bin/zsh", "-f", "-i"],
  fish: ["/usr/bin/fish", "--no-config", "-i"],
  dash: ["/bin/dash", "-i"],
} as const;

/** A shell at its prompt that edits lines itself. */
export const AT_PROMPT = { shellIdle: { lineEditor: true }, jobRuns: false };

/** The shells that tests run. */
export type ShellName = keyof typeof SHELLS;

/** One terminal with a shell. */
export class Console implements AsyncDisposable {
  readonly pty: Pty;
  readonly #reading: Promise<void>;
  readonly #onOutput: () => void;
  readonly #parser = new OutputParser();
  #text = "";

  private constructor(pty: Pty, onOutput: () => void) {
    this.pty = pty;
    this.#onOutput = onOutput;
    this.#reading = this.#read();
  }

  /** Starts a shell, or another program by its path and arguments. */
  static async start(
    shell: ShellName | readonly [string, ...string[]],
    onOutput: () => void = () => {},
  ): Promise<Console> {
    const [file, ...args] = typeof shell === "string" ? SHELLS[shell] : shell;
    const driver = await choosePtyDriver();
    const path = process.env["PATH"] ?? "/usr/bin:/bin";
    const env = { PATH: path, TERM: "xterm-256color", HOME: "/nonexistent" };
    const launch = { file, args, env, cwd: "/", allowedRoots: [], size: DEFAULT_SIZE };
    return new Console(await driver.spawn(launch), onOutput);
  }

  get text(): string {
    return this.#text;
  }

  async type(keys: string): Promise<void> {
    await this.pty.write(Buffer.from(keys));
  }

  async look(): Promise<ForegroundState> {
    const state = await this.pty.state();
    const { modes } = this.#parser;
    const lastLine = readText(Buffer.from(this.#text, "latin1").toString()).split("\n").at(-1);
    return readForegroundState({ ...state, ...modes, leaderPid: this.pty.leader.pid, lastLine });
  }

  /** Looks until the terminal is as wanted, and tells how it is then. */
  until(wanted: object): Promise<ForegroundState> {
    return vi.waitFor(async () => {
      const seen = await this.look();
      assert.partialDeepStrictEqual(seen, wanted);
      return seen;
    }, DEADLINE);
  }

  /** Waits until a program says something. */
  untilText(text: string): Promise<void> {
    return vi.waitFor(() => assert.ok(this.#text.includes(text), this.#text), DEADLINE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pty[Symbol.asyncDispose]();
    await this.#reading;
  }

  async #read(): Promise<void> {
    for (let chunk = await this.pty.read(); chunk; chunk = await this.pty.read()) {
      this.#parser.push(new Uint8Array(chunk.bytes));
      this.#text += Buffer.from(chunk.bytes).toString("latin1");
      this.#onOutput();
    }
  }
}
