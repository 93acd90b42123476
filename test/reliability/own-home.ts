import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type NacreClient } from "@nacre/client";
import { isKeeperAlive, readKeeperManifest } from "../../packages/host/src/keeper/program-list.ts";
import { type ProcessFacts, readProcess } from "../../packages/host/src/pty/process-table.ts";
import { DaemonProcess, runCli } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { waitUntil } from "../support/wait-until.ts";

/** By this variable everything that the programs of a home have started is found, wherever it went. */
const MARK = "RELIABILITY_HOME";

/** Where a daemon is. */
interface Found {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/** A home of its own for one daemon after another, with a keeper that outlives them; disposing ends all of it. */
export class OwnHome implements AsyncDisposable {
  readonly #own = ownDirectory();
  readonly path = this.#own.path;
  /** Where programs start and leave their files. */
  readonly work = join(this.path, "work");
  /** What every program of this home is started with. */
  readonly env = { [MARK]: randomUUID() };
  #found: Found | undefined;

  constructor() {
    mkdirSync(this.work);
  }

  /** Starts a daemon, which finds what the one before it left. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start({
      home: this.path,
      env: { ...env, ...ENV },
      hasOwnSession: true,
    });
    const { pid, url, token } = daemon;
    this.#found = { pid, url, token };
    return daemon;
  }

  /** Replaces the daemon by another one, as people do. */
  async restart(): Promise<void> {
    const { code, error } = await runCli(["restart"], { home: this.path, env: ENV });
    if (code !== 0) throw new Error(`nacre restart failed: ${error}`);
    this.#found = this.#discover();
  }

  /** Ends the daemon from one moment to the next. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Ends the daemon as `nacre stop` does, and with it the keeper and its programs. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  get daemonPid(): number {
    return this.#present.pid;
  }

  /** The number of the keeper's process. */
  get keeperPid(): number {
    const found = this.#findKeeper();
    if (found === undefined) throw new Error("this home has no keeper");
    return found;
  }

  /** Whether a keeper runs, with a daemon or without. */
  get hasKeeper(): boolean {
    return this.#findKeeper() !== undefined;
  }

  /** The daemon and the keeper. */
  get pids(): readonly number[] {
    return [this.daemonPid, this.keeperPid];
  }

  /** A client of the operator, or of whom a token names. */
  client(token = this.#present.token): NacreClient {
    return connect({ url: this.#present.url, token });
  }

  /** A failure with what the daemons of this home last complained of. */
  explain(error: unknown): unknown {
    const path = join(this.path, "daemon.log");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    const complaints = lines.filter((line) => /"level":"(?:warn|error)"/.test(line)).slice(-3);
    if (complaints.length === 0 && reasonsOf(error).length === 1) return error;
    return new Error([...reasonsOf(error), ...complaints].join("\n"), { cause: error });
  }

  /** Everything that runs and was started by a program of this home. */
  get programs(): readonly ProcessFacts[] {
    const mark = `${MARK}=${this.env[MARK]}`;
    return allPids()
      .filter((pid) => readText(pid, "environ").split("\0").includes(mark))
      .flatMap((pid) => readProcess(pid) ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } finally {
      // Where something failed there may be more than what a daemon ends.
      const keeper = this.#findKeeper();
      if (keeper !== undefined) process.kill(keeper, "SIGKILL");
      for (const { pid } of this.programs) endAtOnce(pid);
      this.#own[Symbol.dispose]();
    }
  }

  get #present(): Found {
    if (!this.#found) throw new Error("no daemon was started in this home");
    return this.#found;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const pid = this.#found?.pid;
    if (pid === undefined || !isRunning(pid)) return;
    process.kill(pid, signal);
    await waitUntil(() => !isRunning(pid), { what: "the daemon ends" });
  }

  #discover(): Found {
    const text = readFileSync(join(this.path, "run/daemon.json"), "utf8");
    const { pid, token, endpoints } = JSON.parse(text) as {
      readonly pid: number;
      readonly token: string;
      readonly endpoints: { readonly http: { readonly url: string } };
    };
    return { pid, token, url: endpoints.http.url };
  }

  #findKeeper(): number | undefined {
    const note = readKeeperManifest(join(this.path, "keeper.programs"));
    return note && isKeeperAlive(note) ? note.keeper.pid : undefined;
  }
}

/** A failure, and what each failure in it came from. */
function reasonsOf(error: unknown): readonly string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return [String(error), ...(cause === undefined ? [] : reasonsOf(cause))];
}

const ENV = { NACRE_KEEPER: "on", NACRE_ALLOW_ROOT: "1" };

const allPids = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** Whether a process is there; one that was killed still has its locks while a thread of it is left. */
function isRunning(pid: number): boolean {
  const found = readProcess(pid);
  return found !== undefined && (!found.isDead || hasThreads(pid));
}

function hasThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false; // It has gone meanwhile.
  }
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** A file of a process; empty when the process is gone, or another user's. */
function readText(pid: number, name: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
