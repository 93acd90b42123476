import { join } from "node:path";
import type { NacreError } from "@nacre/contracts";
import type { Directories } from "../config/directories.ts";
import { createKeeperDriver } from "../keeper/keeper-driver.ts";
import { isAbsent, KeeperLink } from "../keeper/keeper-link.ts";
import { startKeeper } from "../keeper/start-keeper.ts";
import type { PtyKind } from "../keeper/kept-pty.ts";
import type { PtyDriver } from "../pty/pty.ts";
import type { Log } from "./log.ts";

/** In the run directory, beside the socket of the daemon. */
const SOCKET_FILE = "keeper.sock";
const LOG_FILE = "keeper.log";

/** What the keeper of a daemon needs. */
export interface KeeperOptions {
  readonly directories: Directories;
  readonly version: string;
  readonly log: Log;
}

/** The keeper of this daemon: the one that its predecessor left, or a new one; after one died, the next program gets another. */
export class KeeperProcess implements AsyncDisposable {
  readonly #options: KeeperOptions;
  #link: Promise<KeeperLink> | undefined;

  private constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Finds the keeper of the state directory or starts it; whoever calls has the lock of that directory. */
  static async open(options: KeeperOptions): Promise<KeeperProcess> {
    const keeper = new KeeperProcess(options);
    await keeper.#connect();
    return keeper;
  }

  /** A driver that always uses the present keeper. */
  driver(kind: PtyKind): PtyDriver {
    const present = async () => createKeeperDriver(await this.#connect(), kind);
    return {
      name: `keeper-${kind}`,
      spawn: async (launch) => await (await present()).spawn(launch),
      list: async () => await (await present()).list(),
      adopt: async (id, fromOffset) => await (await present()).adopt(id, fromOffset),
    };
  }

  /** The number of the process. */
  async pid(): Promise<number> {
    return (await this.#connect()).keeper.pid;
  }

  /** Ends what is left of its programs, and the keeper. */
  async [Symbol.asyncDispose](): Promise<void> {
    // One that could not be had, or is gone, has nothing left to end.
    const link = await this.#link?.catch(() => undefined);
    if (!link) return;
    await link.request({ call: "stop", graceMs: 0 }, () => undefined).catch(() => undefined);
    link[Symbol.dispose]();
    await link.closed;
  }

  /** The present connection, or a new one when there is none. */
  #connect(): Promise<KeeperLink> {
    this.#link ??= this.#open();
    return this.#link;
  }

  async #open(): Promise<KeeperLink> {
    try {
      const link = await openLink(this.#options);
      void link.closed.then((error) => this.#handleLoss(link, error));
      return link;
    } catch (error) {
      this.#link = undefined;
      throw error;
    }
  }

  #handleLoss(link: KeeperLink, error: NacreError): void {
    if (link.isDisposed) return;
    this.#options.log.error("the connection to the keeper is lost", { error });
    // Whoever took over has the programs now; two would take them from each other for ever.
    if (error.code !== "conflict") this.#link = undefined;
  }
}

async function openLink({ directories, version, log }: KeeperOptions): Promise<KeeperLink> {
  const socketPath = join(directories.run, SOCKET_FILE);
  const logPath = join(directories.state, LOG_FILE);
  try {
    return await connect({ socketPath, version, log });
  } catch (error) {
    // One that is there and does not answer still has its programs, which another would take the place of.
    if (!isAbsent(error)) throw error;
  }
  const pid = await startKeeper({ socketPath, logPath, version });
  log.info("started the keeper", { pid });
  return await connect({ socketPath, version, log });
}

async function connect(to: {
  readonly socketPath: string;
  readonly version: string;
  readonly log: Log;
}): Promise<KeeperLink> {
  const link = await KeeperLink.connect(to);
  const { pid, version } = link.keeper;
  to.log.info("connected to the keeper", { pid, version });
  return link;
}
