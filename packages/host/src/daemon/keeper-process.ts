import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type LostReason, NacreError } from "@nacre/contracts";
import type { Directories } from "../config/directories.ts";
import { isAbsent, isClosing, KeeperLink } from "../keeper/keeper-link.ts";
import { createKeeperDriver } from "../keeper/keeper-pty.ts";
import type { PtyKind } from "../keeper/kept-pty.ts";
import {
  endOrphans,
  isKeeperAlive,
  isSameBoot,
  type KeeperIdentity,
  type KeeperManifest,
  readKeeperManifest,
} from "../keeper/program-list.ts";
import { startKeeper } from "../keeper/start-keeper.ts";
import { isAlive } from "../pty/process-tree.ts";
import type { PtyDriver } from "../pty/pty.ts";
import type { ShutdownMode } from "./daemon.ts";
import { requireSocketPath } from "./listen.ts";
import type { Log } from "./log.ts";

const LOG_FILE = "keeper.log";

/** In the state directory, which survives a reboot. */
const LIST_FILE = "keeper.programs";

export const keeperListPath = ({ state }: Directories): string => join(state, LIST_FILE);

/** It may be about to end, or very busy. */
const MAX_REACH_MS = 10_000;

/** A keeper with nothing to keep exits long before. */
const MAX_LEAVE_MS = 1000;

const LOOK_MS = 20;

/** In the run directory, which several state directories may share; each has its own keeper. */
export function keeperSocketPath({ run, state }: Directories): string {
  const name = createHash("sha256").update(state).digest("hex").slice(0, 8);
  return requireSocketPath(join(run, `keeper-${name}.sock`));
}

/** With or without a daemon. */
export function readLiveManifest(directories: Directories): KeeperManifest | undefined {
  const note = readKeeperManifest(keeperListPath(directories));
  return note && isKeeperAlive(note) ? note : undefined;
}

interface KeeperOptions {
  readonly directories: Directories;
  readonly version: string;
  readonly log: Log;
  /** Whether the programs end with the daemon. */
  readonly ending: ShutdownMode;
  /** Time limit for one that lives and cannot be connected to. */
  readonly maxReachMs?: number;
}

/** The daemon's keeper: its predecessor's, or a new one; after one died, the next program gets another. */
export class KeeperProcess implements AsyncDisposable {
  readonly #options: KeeperOptions;
  #link: Promise<KeeperLink> | undefined;
  #lostReason: LostReason = "hostEnded";
  /** Terminals of this daemon lost their programs to a broken connection. */
  #hasLost = false;
  #present: KeeperLink | undefined;
  readonly #endKeeper = (): void => {
    if (this.#present) process.kill(this.#present.keeper.pid, "SIGTERM");
  };

  private constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The caller holds the lock of the state directory. */
  static async open(options: KeeperOptions): Promise<KeeperProcess> {
    const keeper = new KeeperProcess(options);
    const note = readKeeperManifest(keeperListPath(options.directories));
    const link = await keeper.#connect();
    if (note && !isSameProcess(note.keeper, link.keeper)) {
      keeper.#lostReason = isSameBoot(note.keeper) ? "keeperEnded" : "machineRestarted";
    }
    return keeper;
  }

  /** Why terminals that it does not have are lost. */
  get lostReason(): LostReason {
    return this.#lostReason;
  }

  /** Always uses the present keeper. */
  driver(kind: PtyKind): PtyDriver {
    const present = async () => createKeeperDriver(await this.#connect(), kind);
    return {
      name: `keeper-${kind}`,
      spawn: async (launch) => await (await present()).spawn(launch),
      list: async () => await (await present()).list(),
      adopt: async (id, fromOffset) => await (await present()).adopt(id, fromOffset),
    };
  }

  /** `silent`: it does not answer; `lost`: between two keepers. */
  get facts(): { readonly state: "ok" | "silent" | "lost"; readonly pid?: number } {
    const link = this.#present;
    if (!link) return { state: "lost" };
    return { state: link.isSilent ? "silent" : "ok", pid: link.keeper.pid };
  }

  async pid(): Promise<number> {
    return (await this.#connect()).keeper.pid;
  }

  /** From here on the keeper and its programs end with this process, even without time to wait for that. */
  endWithProcess(): void {
    process.once("exit", this.#endKeeper);
  }

  /** Ends programs and keeper, unless they are to continue. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is left to end.
    const link = await this.#link?.catch(() => undefined);
    if (!link) return;
    const { directories, ending } = this.#options;
    const note = ending.keepsPrograms ? readLiveManifest(directories) : undefined;
    if (!ending.keepsPrograms) {
      await link.request({ call: "stop", graceMs: 0 }, () => undefined).catch(() => undefined);
    }
    link[Symbol.dispose]();
    await link.closed;
    process.off("exit", this.#endKeeper);
    // Without programs it exits by itself.
    const deadline = performance.now() + MAX_LEAVE_MS;
    while (note?.programs.length === 0 && isKeeperAlive(note) && performance.now() < deadline) {
      await delay(LOOK_MS);
    }
  }

  #connect(): Promise<KeeperLink> {
    this.#link ??= this.#open();
    return this.#link;
  }

  async #open(): Promise<KeeperLink> {
    try {
      const link = await openLink(this.#options);
      if (this.#hasLost) await endUnclaimed(link);
      this.#hasLost = false;
      this.#present = link;
      void link.closed.then((error) => this.#handleLoss(link, error));
      return link;
    } catch (error) {
      this.#link = undefined;
      throw error;
    }
  }

  #handleLoss(link: KeeperLink, error: NacreError): void {
    if (this.#present === link) this.#present = undefined;
    if (link.isDisposed) return;
    this.#options.log.error("the connection to the keeper is lost", { error });
    // Another daemon took over; two would take the programs from each other for ever.
    if (error.code === "conflict") return;
    this.#link = undefined;
    this.#hasLost = true;
    // Orphans are ended now, not when the next keeper is needed.
    const ending = readLiveManifest(this.#options.directories)
      ? this.#connect()
      : endKeeperOrphans(this.#options);
    ending.catch((cause: unknown) => {
      this.#options.log.error("what the keeper left cannot be ended", { error: cause });
    });
  }
}

const isSameProcess = (one: KeeperIdentity, other: KeeperIdentity): boolean =>
  one.pid === other.pid && one.startTicks === other.startTicks && one.bootId === other.bootId;

async function openLink(options: KeeperOptions): Promise<KeeperLink> {
  const found = await findLink(options);
  if (found) return found;
  const { directories, version, log } = options;
  const socketPath = keeperSocketPath(directories);
  const logPath = join(directories.state, LOG_FILE);
  await endKeeperOrphans({ directories, log });
  const listPath = keeperListPath(directories);
  const pid = await startKeeper({ socketPath, logPath, listPath, version });
  log.info("started the keeper", { pid });
  return await connect({ socketPath, version, log });
}

/** Wherever it listens. A living keeper still has its programs, so no other may take its place. */
async function findLink(options: KeeperOptions): Promise<KeeperLink | undefined> {
  const { directories, version, log, maxReachMs = MAX_REACH_MS } = options;
  const deadline = performance.now() + maxReachMs;
  for (;;) {
    const note = readLiveManifest(directories);
    const socketPath = note?.keeper.socketPath ?? keeperSocketPath(directories);
    try {
      return await connect({ socketPath, version, log });
    } catch (error) {
      const isGone = isAbsent(error);
      if (isGone && !readLiveManifest(directories)) return undefined;
      const mayChange = isGone || isClosing(error);
      if (!mayChange || performance.now() > deadline)
        throw note ? unreachableError(note, error) : error;
    }
    await delay(LOOK_MS);
  }
}

function unreachableError({ keeper, programs }: KeeperManifest, cause: unknown): unknown {
  if (!(cause instanceof NacreError) || cause.code !== "unavailable") return cause;
  const message = `the keeper with pid ${keeper.pid} runs and does not answer: ${cause.message}`;
  return new NacreError("unavailable", message, {
    cause,
    suggestion: `Try again, or end it and its programs with \`nacre stop\`.`,
    details: { pid: keeper.pid, programs: programs.length },
  });
}

/** Programs of a dead keeper got SIGHUP, but some survive that. */
async function endKeeperOrphans({
  directories,
  log,
}: Pick<KeeperOptions, "directories" | "log">): Promise<void> {
  const note = readKeeperManifest(keeperListPath(directories));
  if (!note) return;
  const { ended, survivors } = await endOrphans(note);
  if (ended > 0) log.warn("processes that outlived the keeper were ended", { count: ended });
  if (survivors.length > 0) log.error("processes outlived SIGKILL", { count: survivors.length });
}

/** Their terminals are lost already. */
async function endUnclaimed(link: KeeperLink): Promise<void> {
  for (const kind of ["terminal", "pipes"] as const) {
    const driver = createKeeperDriver(link, kind);
    const running = await driver.list();
    const ptys = await Promise.all(running.map((one) => driver.adopt(one.id, one.firstOffset)));
    await Promise.all(ptys.map((pty) => pty[Symbol.asyncDispose]()));
  }
}

async function connect(to: {
  readonly socketPath: string;
  readonly version: string;
  readonly log: Log;
}): Promise<KeeperLink> {
  const handleSilence = (isSilent: boolean): void => {
    if (isSilent) to.log.warn("the keeper does not answer", { pid: link.keeper.pid });
    else to.log.info("the keeper answers again", { pid: link.keeper.pid });
  };
  const link: KeeperLink = await KeeperLink.connect({ ...to, handleSilence });
  const { pid, version } = link.keeper;
  to.log.info("connected to the keeper", { pid, version });
  if (version !== to.version) {
    to.log.warn("the keeper is of another version; it goes on until its programs have ended", {
      version,
    });
  }
  return link;
}

export interface FoundKeeper {
  readonly pid: number;
  /** In clock ticks since boot. */
  readonly startTime: number;
  readonly version: string;
  /** How many run in it. */
  readonly programs: number;
}

/** With or without a daemon; the keeper is not asked, since it only speaks with its daemon. */
export function findKeeper(directories: Directories): FoundKeeper | undefined {
  const note = readLiveManifest(directories);
  if (!note) return undefined;
  const { pid, startTicks, version } = note.keeper;
  const programs = note.programs.filter(({ leader }) => isAlive(leader)).length;
  return { pid, startTime: startTicks, version, programs };
}
