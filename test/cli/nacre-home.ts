// The real command in a home of its own, with a daemon that it starts by itself.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { KEPT_CODE } from "../../packages/host/src/testing/kept-code.ts";
import { NACRE } from "../support/nacre-program.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** How a command ended, and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory with a home, a place to work in, and `nacre` on the PATH; its daemon ends with it. */
export class NacreHome implements AsyncDisposable {
  readonly #own = ownDirectory();
  readonly path = this.#own.path;
  /** Where commands run. */
  readonly work = join(this.path, "work");

  constructor() {
    const bin = join(this.path, "bin");
    for (const directory of [this.work, bin]) mkdirSync(directory);
    const words = [process.execPath, ...NACRE].map((word) => `'${word}'`).join(" ");
    const script = `#!/bin/sh\nexec ${words} "$@"\n`;
    writeFileSync(join(bin, "nacre"), script);
    chmodSync(join(bin, "nacre"), 0o755);
  }

  /** The environment of a person who uses this home. */
  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const path = [join(this.path, "bin"), dirname(process.execPath), process.env["PATH"]];
    return {
      ...KEPT_CODE,
      PATH: path.join(":"),
      HOME: this.path,
      LANG: "C.UTF-8",
      NACRE_PORT: "0",
      NACRE_ALLOW_ROOT: "true",
      ...more,
    };
  }

  /** Starts a line of a shell, with no standard input; whoever starts it ends it. */
  start(line: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn("sh", ["-c", line], {
      cwd: this.work,
      env: this.env(env),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  }

  /** Runs a line of a shell to its end. */
  async sh(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const child = this.start(line, env);
    let [stdout, stderr] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  /** Runs `nacre` with `--json` and gives its envelope. */
  async json(line: string, env: Readonly<Record<string, string>> = {}): Promise<Envelope> {
    const { stdout } = await this.sh(line.replace(/^nacre /, "nacre --json "), env);
    return JSON.parse(stdout) as Envelope;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sh("nacre stop");
    this.#own[Symbol.dispose]();
  }
}

/** What `--json` prints. */
export interface Envelope {
  readonly ok: boolean;
  readonly command?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: Readonly<Record<string, unknown>>;
}
