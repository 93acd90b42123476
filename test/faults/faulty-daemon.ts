import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { type OwnDirectory, ownDirectory } from "../support/own-directory.ts";

const CONSOLE = join(import.meta.dirname, "fault-console.mjs");

/** How a daemon to be harmed is started. */
export interface FaultyOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where it keeps everything; a directory of its own when absent. */
  readonly home?: string;
}

/** A line of the log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A daemon with a keeper whose threads, clock and files a test can harm; what runs in it ends with it. */
export class FaultyDaemon implements AsyncDisposable {
  readonly home: string;
  readonly client: NacreClient;
  readonly #daemon: DaemonProcess;
  readonly #own: OwnDirectory | undefined;

  private constructor(daemon: DaemonProcess, own: OwnDirectory | undefined) {
    this.#daemon = daemon;
    this.home = daemon.home;
    this.client = daemon.client();
    this.#own = own;
  }

  static async start({ env = {}, home }: FaultyOptions = {}): Promise<FaultyDaemon> {
    const own = home === undefined ? ownDirectory() : undefined;
    const place = home ?? own?.path ?? "";
    const daemon = await DaemonProcess.start({
      home: place,
      env: {
        NODE_OPTIONS: `--import=${CONSOLE}`,
        NACRE_FAULT_CONSOLE: join(place, "faults.sock"),
        NACRE_KEEPER: "on",
        ...env,
      },
    });
    return new FaultyDaemon(daemon, own);
  }

  get pid(): number {
    return this.#daemon.pid;
  }

  get url(): string {
    return this.#daemon.url;
  }

  /** What its operator comes in with. */
  get token(): string {
    return this.#daemon.token;
  }

  get isRunning(): boolean {
    return this.#daemon.isRunning;
  }

  /** The lines of the log so far. */
  get log(): LogLine[] {
    const lines = this.#daemon.said.error.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  get keeperPid(): number {
    const line = this.log.findLast(({ message }) => message === "connected to the keeper");
    return Number(line?.["pid"] ?? 0);
  }

  /** Gives an order to the console in the daemon. */
  async order(...order: readonly (string | number)[]): Promise<unknown> {
    const socket = createConnection(join(this.home, "faults.sock"));
    await once(socket, "connect");
    socket.write(`${JSON.stringify(order)}\n`);
    return JSON.parse(await text(socket));
  }

  /** Runs a script in a terminal of its own. */
  async run(script: string): Promise<TerminalId> {
    const { id } = await this.client.createTerminal({
      owner: { entityName: "Task", entityId: "1" },
      workingDirectory: this.home,
      command: "/bin/sh",
      args: ["-c", script],
    });
    return id;
  }

  /** One line of the metrics, by its name. */
  async metric(name: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${this.#daemon.token}` };
    const all = await (await fetch(`${this.url}/metrics`, { headers })).text();
    const line = all.split("\n").find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length));
  }

  read(name: string): Buffer {
    return readFileSync(join(this.home, name));
  }

  /** Kills the daemon and leaves its keeper. */
  async kill(): Promise<void> {
    await this.#daemon.end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { keeperPid } = this;
    if (keeperPid > 0) signal(keeperPid, "SIGCONT");
    if (this.#daemon.isRunning) {
      signal(this.pid, "SIGCONT");
      await this.#daemon.end("SIGTERM");
    }
    // A test that failed may have left the keeper behind; asked so, it ends its programs first.
    if (keeperPid > 0) signal(keeperPid, "SIGTERM");
    this.#own?.[Symbol.dispose]();
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
