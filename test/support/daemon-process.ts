import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { connect, type NacreClient } from "@nacre/client";
import { endKeeper } from "../../packages/host/src/keeper/testing/end-keeper.ts";
import { KEPT_CODE } from "../../packages/host/src/testing/kept-code.ts";
import { NACRE } from "./nacre-program.ts";

/** As `bin/nacre` runs it. */
const ARGUMENTS = ["--max-semi-space-size=4", ...NACRE];

/** How a daemon is started. */
export interface DaemonProcessOptions {
  /** Where it keeps everything; nobody else uses it. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Where it listens; anywhere when absent. */
  readonly port?: number;
  /** Whether what it leaves in the keeper is for another one; whoever starts that ends it. */
  readonly leavesKeeper?: boolean;
  /** Whether it has a session to itself, as one that the CLI started: the system weighs sessions against each other. */
  readonly hasOwnSession?: boolean;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** How long it took since it was told to. */
  readonly durationMs: number;
}

/** A daemon in a process of its own, all of whose words are kept. */
export class DaemonProcess implements AsyncDisposable {
  readonly home: string;
  readonly #child: ChildProcess;
  readonly #said: { out: string; error: string };
  readonly #leavesKeeper: boolean;

  private constructor(
    { home, leavesKeeper = false }: DaemonProcessOptions,
    child: ChildProcess,
    said: { out: string; error: string },
  ) {
    this.home = home;
    this.#leavesKeeper = leavesKeeper;
    this.#child = child;
    this.#said = said;
  }

  /** Starts `nacre serve` on any port; rejects with what it said when it does not come up. */
  static async start(options: DaemonProcessOptions): Promise<DaemonProcess> {
    const { flags = [], port = 0 } = options;
    const child = spawnCli(["serve", "--port", String(port), ...flags], options);
    const said = { out: "", error: "" };
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (said.error += text));
    const ended = once(child, "close").then(([code]) => {
      throw new Error(`the daemon ended with ${String(code)}: ${said.error}`);
    });
    // Once it is up, its end is nobody's failure here.
    ended.catch(() => undefined);
    const first = new Promise<void>((resolve) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        said.out += text;
        if (said.out.includes("\n")) resolve();
      });
    });
    await Promise.race([first, ended]);
    return new DaemonProcess(options, child, said);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything it wrote so far. */
  get said(): { readonly out: string; readonly error: string } {
    return this.#said;
  }

  /** The address, without the token. */
  get url(): string {
    return this.#address.origin;
  }

  get port(): number {
    return Number(this.#address.port);
  }

  get token(): string {
    return this.#address.hash.slice("#token=".length);
  }

  get socketPath(): string {
    return join(this.home, "run/nacre.sock");
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** How much memory of the machine it has. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  /** How many sockets it has open; other files come and go with its threads. */
  get openSockets(): number {
    const directory = `/proc/${this.pid}/fd`;
    return readdirSync(directory).filter((name) => isSocket(join(directory, name))).length;
  }

  /** A client of its operator. */
  client(): NacreClient {
    return connect({ url: this.url, token: this.token });
  }

  /** Sends a signal and resolves with how the process ended. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    const startedAt = performance.now();
    const ended = once(this.#child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    this.#child.kill(signal);
    const [code, by] = await ended;
    return { code, signal: by, durationMs: performance.now() - startedAt };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) await this.end("SIGKILL");
    // What was killed left its programs there.
    if (!this.#leavesKeeper) await endKeeper(this.home);
  }

  get #address(): URL {
    return new URL(this.#said.out.split("\n", 1)[0] ?? "");
  }
}

/** What a program said to its end. */
export interface CliAnswer {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the CLI to its end. */
export async function runCli(
  args: readonly string[],
  options: Pick<DaemonProcessOptions, "home" | "env">,
): Promise<CliAnswer> {
  const child = spawnCli(args, options);
  let [out, error] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (error += text));
  const [code]: (number | null)[] = await once(child, "close");
  return { code: code ?? null, out, error };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    // Closed since the directory was read.
    return false;
  }
}

function spawnCli(
  args: readonly string[],
  { home, env, hasOwnSession }: Pick<DaemonProcessOptions, "home" | "env" | "hasOwnSession">,
): ChildProcess {
  return spawn(process.execPath, [...ARGUMENTS, ...args], {
    cwd: "/",
    // An empty home: start-up files of a shell would only cost time.
    // With a keeper, as people have it. Tests of what a daemon itself needs, such as memory, turn it off: the lives of
    // programs are nothing to them, and it is one more process to start.
    env: {
      ...KEPT_CODE,
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      NACRE_HOME: home,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: hasOwnSession ?? false,
  });
}
