// What programs on a terminal and on pipes of the Linux kernel have in common: limits, signals, an end with proof.
import { NacreError } from "@nacre/contracts/plain";
import { type ExitCause, type LimitEnforcement } from "./limits/limit-enforcement.ts";
import type { LimitsInForce } from "./limits/program-limits.ts";
import * as calls from "./linux-calls.ts";
import type { RunningChild } from "./linux-start.ts";
import { readProcess } from "./process-table.ts";
import * as processTree from "./process-tree.ts";
import {
  checkGrace,
  checkSignal,
  checkSize,
  DEFAULT_GRACE_MS,
  type KillReport,
  type ProcessIdentity,
  type Pty,
  type PtyDriver,
  type PtyExit,
  type PtyLaunch,
  type SignalTarget,
  type Survivor,
} from "./pty.ts";
import { checkExecutable } from "./resolve-command.ts";
import { requireDescriptors } from "./resource-exhaustion.ts";
import { movedAwayError, OpenDirectory } from "./working-directory.ts";

/** A program that was started, and everything that it starts. */
export abstract class LinuxProgram implements AsyncDisposable {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly exited: Promise<PtyExit>;
  readonly #enforcement: LimitEnforcement;
  readonly #reaped = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<PtyExit>();
  #exit: ExitCause | undefined;
  #leaderGoneAtTicks: number | undefined;
  /** The program ended and nothing that it started runs any more: nothing can come to be, and nobody has to look again. */
  #isEmpty = false;

  protected constructor(id: string, child: RunningChild, enforcement: LimitEnforcement) {
    this.id = id;
    this.leader = { pid: child.pid, startTicks: readProcess(child.pid)?.startTicks ?? 0 };
    this.exited = this.#exited.promise;
    this.#enforcement = enforcement;
  }

  /** To be called last in the constructor: what is reaped before would meet a half of it. */
  protected watch(child: RunningChild): void {
    child.on("exit", (code, signal) => {
      this.#exit = this.#enforcement.explain(signal ? { signal } : { exitCode: code ?? 0 });
      this.#leaderGoneAtTicks = calls.nowTicks();
      this.#reaped.resolve();
      this.handleExit();
    });
  }

  get limits(): LimitsInForce {
    return this.#enforcement.inForce;
  }

  async signal(signal: NodeJS.Signals, target: SignalTarget = "foreground"): Promise<void> {
    checkSignal(signal, target);
    if (target === "tree") {
      for (const process of await this.findTree()) processTree.sendSignal(process, signal);
      return;
    }
    this.requireRunning("signal");
    const isSent =
      target === "leader"
        ? processTree.sendSignal(this.leader, signal)
        : await this.signalForeground(signal);
    if (!isSent) {
      throw new NacreError("forbidden", `${signal} may not be sent to the ${target} program`);
    }
  }

  async processes(): Promise<readonly Survivor[]> {
    if (this.#isEmpty) return [];
    const hasEnded = this.#exit !== undefined;
    const found = await processTree.listTree(this.#root());
    const isLeft = found.length > 0 || (this.#enforcement.group?.members().size ?? 0) > 0;
    this.#isEmpty = hasEnded && !isLeft;
    return found;
  }

  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    const report = this.#isEmpty
      ? { ended: 0, forced: false, survivors: [] }
      : await processTree.endTree(() => this.#root(), graceMs);
    if (report.survivors.some(({ pid }) => pid === this.leader.pid)) return report;
    await this.#reaped.promise;
    this.#isEmpty = report.survivors.length === 0;
    return { ...report, survivors: [...report.survivors, ...(await this.findHolders())] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      const { survivors } = await this.kill(0);
      // What the programs left in the kernel is still read, so that a reader gets all of it.
      if (!survivors.some(({ pid }) => pid === this.leader.pid)) await this.exited;
    } finally {
      await this.#enforcement.end();
      this.close();
    }
  }

  /** Whether the program has ended, or nothing of it can be reached any more. */
  protected get isOver(): boolean {
    return this.#exit !== undefined;
  }

  protected requireRunning(verb: string): void {
    if (!this.isOver) return;
    throw new NacreError("terminal_exited", `cannot ${verb}: the program has ended`);
  }

  protected findTree(): ReturnType<typeof processTree.findTree> {
    return processTree.findTree(this.#root());
  }

  /** Says that the program ended, once it has. */
  protected reportExit(drained: boolean): void {
    if (!this.#exit) return;
    this.#exited.resolve({ ...this.#exit, outputBytes: this.outputBytes, drained });
  }

  /** How much was read so far. */
  protected abstract get outputBytes(): number;
  /** Sends a signal to the job that a keyboard would reach; false when that is not allowed. */
  protected abstract signalForeground(signal: NodeJS.Signals): Promise<boolean>;
  /** Processes that nothing ties to the program, and that still hold what it writes to. */
  protected abstract findHolders(): Promise<readonly Survivor[]>;
  /** The program was reaped; its output may not all be read yet. */
  protected abstract handleExit(): void;
  /** Lets go of what the host has of it. */
  protected abstract close(): void;

  #root(): processTree.TreeRoot {
    return {
      leader: this.leader,
      marker: this.id,
      group: this.#enforcement.group,
      leaderGoneAtTicks: this.#leaderGoneAtTicks,
    };
  }
}

/** A driver that starts programs in this process, in the directory `cwd` that is held open meanwhile. */
export function createLinuxDriver(
  name: string,
  start: (launch: PtyLaunch, cwd: string) => Promise<Pty>,
): PtyDriver {
  return {
    name,

    async spawn(launch) {
      if (!calls.linuxCallsWork) {
        throw new NacreError("pty_unavailable", `${name} needs Linux on x86-64 or arm64`);
      }
      const size = checkSize(launch.size);
      requireDescriptors();
      await checkExecutable(launch.file);
      using directory = OpenDirectory.open(launch.cwd, launch.allowedRoots);
      const pty = await start({ ...launch, size }, directory.childPath);
      if (directory.isInside(launch.allowedRoots)) return pty;
      await pty[Symbol.asyncDispose]();
      throw movedAwayError(launch.cwd);
    },

    list: async () => [],

    async adopt(id) {
      throw new NacreError("terminal_not_found", `no running Pty ${id}: ${name} keeps none`);
    },
  };
}
