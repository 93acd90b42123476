// Runs the real CLI in processes of their own, each with a home of its own.
import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findDirectories, findKeeper, stopDaemon } from "@nacre/host";

/** What Node is given to run the CLI: what the test runner has made of its sources, which starts in a third of the time, or else these. */
export const MAIN =
  process.env["BUILT_PROGRAMS"] === undefined
    ? ["--conditions=nacre-source", join(import.meta.dirname, "../main.ts")]
    : [join(process.env["BUILT_PROGRAMS"], "packages/cli/src/main.js")];

export interface NacreOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another user to run it as; only root can. */
  readonly uid?: number;
}

/** A new directory that only the user of this process, or the one named, may enter. */
export function makeHome(uid?: number): string {
  const home = mkdtempSync(join(tmpdir(), "nacre-cli-"));
  if (uid !== undefined) chownSync(home, uid, uid);
  return home;
}

const nodeArgs = (args: readonly string[]): string[] => [...MAIN, ...args];

/** Where Node keeps what it makes of sources, when it does: a start then takes half the time. */
export const KEPT_CODE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === "NODE_COMPILE_CACHE"),
);

const spawnOptions = ({ home, env, uid }: NacreOptions) => ({
  cwd: "/",
  // An empty home: start-up files of a shell would only cost time.
  env: {
    ...KEPT_CODE,
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    NACRE_HOME: home,
    ...env,
  },
  ...(uid === undefined ? {} : { uid, gid: uid }),
});

/** Runs the CLI to its end. */
export function nacre(args: readonly string[], options: NacreOptions): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, nodeArgs(args), {
    ...spawnOptions(options),
    encoding: "utf8",
  });
}

/** A daemon in a process of its own. */
export class ServeProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly firstLine: string;
  readonly #home: string;
  readonly #errors: string[];

  private constructor(home: string, child: ChildProcess, firstLine: string, errors: string[]) {
    this.#home = home;
    this.child = child;
    this.firstLine = firstLine;
    this.#errors = errors;
  }

  /** Starts `nacre serve` on any port; resolves with its first line, and rejects with what it said instead. */
  static async start(options: NacreOptions, ...args: readonly string[]): Promise<ServeProcess> {
    const child = spawn(process.execPath, nodeArgs(["serve", "--port", "0", ...args]), {
      ...spawnOptions(options),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const errors: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
    const ended = once(child, "close").then(([code]) => {
      throw new Error(`serve ended with ${String(code)}: ${errors.join("")}`);
    });
    // Once it is up, its end is nobody's failure here.
    ended.catch(() => undefined);
    const line = once(createInterface(child.stdout), "line") as Promise<[string]>;
    const [firstLine] = await Promise.race([line, ended]);
    return new ServeProcess(options.home, child, firstLine, errors);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get errors(): string {
    return this.#errors.join("");
  }

  get url(): URL {
    return new URL(this.firstLine);
  }

  get token(): string {
    return this.url.hash.slice("#token=".length);
  }

  /** Asks the daemon as its operator. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, this.url.origin), {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  }

  /** Sends a signal and resolves with how the process ended. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    const ended = once(this.child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    this.child.kill(signal);
    const [code, by] = await ended;
    return code ?? by ?? -1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.end("SIGKILL");
    // What was killed left its programs there.
    const home = this.#home;
    const keeper = findKeeper(findDirectories({ NACRE_HOME: home }, home));
    if (keeper) await stopDaemon(keeper);
  }
}
