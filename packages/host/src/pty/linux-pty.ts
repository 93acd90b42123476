import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import { ReadStream } from "node:tty";
import { NacreError, type Size } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import { checkExecutable } from "./resolve-command.ts";
import { requireDescriptors } from "./resource-exhaustion.ts";
import { InputQueue } from "./input-queue.ts";
import { type ExitCause, LimitEnforcement } from "./limits/limit-enforcement.ts";
import type { LimitsInForce } from "./limits/program-limits.ts";
import * as calls from "./linux-calls.ts";
import { openMaster, startChild, type StartedChild } from "./linux-start.ts";
import { CHUNK_BYTES, OutputDrain, OutputQueue } from "./output-queue.ts";
import { readProcess } from "./process-table.ts";
import * as processTree from "./process-tree.ts";
import {
  checkBytes,
  checkGrace,
  checkSignal,
  checkSize,
  type Chunk,
  DEFAULT_GRACE_MS,
  type KillReport,
  type LineModes,
  type ProcessIdentity,
  type Pty,
  type PtyDriver,
  type PtyExit,
  type PtyState,
  type SignalTarget,
  type Survivor,
  type TerminalDevice,
} from "./pty.ts";
import { ScheduledRead } from "./read-scheduler.ts";
import { lowerSessionPriority } from "./session-priority.ts";
import { movedAwayError, OpenDirectory } from "./working-directory.ts";

/** The kernel buffers some 12 KiB per terminal, so more after the exit was written by another program. */
const MAX_DRAIN_BYTES = 128 * 1024;

/** A read this large means a flood: reading on saves an event-loop turn per 4 KiB. */
const BULK_READ_BYTES = 1024;

/** A read may sleep in the kernel while other programs have the CPUs; then other terminals go first. */
const MAX_READ_ON_MS = 1;

/** Filled and emptied within one callback, so all terminals share it. */
const READ_BUFFER = Buffer.allocUnsafeSlow(CHUNK_BYTES);

type LimitedChild = StartedChild & { readonly limiting: LimitEnforcement };

class LinuxPty implements Pty {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly device: TerminalDevice;
  readonly exited: Promise<PtyExit>;
  readonly #enforcement: LimitEnforcement;
  readonly #master: number;
  readonly #slave: number;
  readonly #stream: ReadStream;
  readonly #turn = new ScheduledRead(() => this.#stream.resume());
  readonly #output = new OutputQueue(() => void (this.#turn.isWaiting || this.#stream.resume()));
  readonly #input = new InputQueue((bytes) =>
    this.#stream.destroyed ? 0 : calls.writeNow(this.#master, bytes),
  );
  readonly #reaped = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<PtyExit>();
  #exit: ExitCause | undefined;
  #leaderGoneAtTicks: number | undefined;
  /** The program ended and nothing that it started runs any more: final. */
  #isEmpty = false;
  readonly #drain = new OutputDrain({
    maxBytes: MAX_DRAIN_BYTES,
    isReadable: () => calls.isReadable(this.#master),
    giveUp: () => this.#reportExit(false),
  });
  #hasReachedEnd = false;

  constructor(id: string, master: number, { child, slave, limiting }: LimitedChild) {
    this.id = id;
    this.#enforcement = limiting;
    this.#slave = slave;
    this.leader = {
      pid: child.pid,
      startTicks: readProcess(child.pid)?.startTicks ?? 0,
    };
    this.exited = this.#exited.promise;
    this.#master = master;
    this.device = calls.getDevice(master, slave);
    this.#stream = new ReadStream(master, {
      onread: { buffer: READ_BUFFER, callback: (bytes) => this.#handleRead(bytes) },
    });
    // EIO is the end of a terminal; `close` follows in any case.
    this.#stream.on("error", (error) => (this.#hasReachedEnd = hasErrno(error, "EIO")));
    this.#stream.on("close", () => this.#handleClose());
    this.#stream.resume();
    child.on("exit", (code, signal) => this.#handleExit(code, signal));
  }

  get limits(): LimitsInForce {
    return this.#enforcement.inForce;
  }

  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    return this.#output.read(spare);
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.#requireRunning("write");
    this.#input.push(bytes);
    this.#output.hurry();
    this.#turn.holdOthers();
  }

  async writeIn({ echo, canonical }: LineModes, bytes: Uint8Array): Promise<boolean> {
    checkBytes(bytes);
    this.#requireRunning("write");
    const modes = calls.getModes(this.#master);
    const isSame = modes.echo === echo && modes.canonical === canonical;
    if (!isSame || this.#input.queuedBytes > 0) return false;
    await this.write(bytes);
    return true;
  }

  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.#requireRunning("resize");
    calls.setSize(this.#master, checked);
  }

  async state(): Promise<PtyState> {
    this.#requireRunning("tell its state");
    return {
      size: calls.getSize(this.#master),
      queuedInputBytes: this.#input.queuedBytes,
      foregroundProcessGroup: calls.getForegroundProcessGroup(this.#master),
      ...calls.getModes(this.#master),
    };
  }

  async signal(signal: NodeJS.Signals, target: SignalTarget = "foreground"): Promise<void> {
    checkSignal(signal, target);
    if (target === "tree") {
      for (const process of await processTree.findTree(this.#root())) {
        processTree.sendSignal(process, signal);
      }
      return;
    }
    this.#requireRunning("signal");
    const isSent =
      target === "leader"
        ? processTree.sendSignal(this.leader, signal)
        : await this.#signalForeground(signal);
    if (!isSent) {
      throw new NacreError("forbidden", `${signal} may not be sent to the ${target} program`);
    }
  }

  lowerPriority(among: number): boolean {
    return this.#exit === undefined && lowerSessionPriority(this.leader.pid, among);
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
    if (this.#stream.destroyed || !calls.isHeld(this.#master)) return report;
    const holders = await processTree.findHolders(this.device.path);
    return { ...report, survivors: [...report.survivors, ...holders] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      const { survivors } = await this.kill(0);
      // What the programs left in the kernel is still read.
      if (!survivors.some(({ pid }) => pid === this.leader.pid)) await this.exited;
    } finally {
      await this.#enforcement.end();
      this.#input.clear();
      this.#stream.destroy();
    }
  }

  async #signalForeground(signal: NodeJS.Signals): Promise<boolean> {
    if (calls.KEYBOARD_SIGNALS.includes(signal)) {
      calls.signalForeground(this.#master, signal);
      return true;
    }
    const group = calls.getForegroundProcessGroup(this.#master);
    const job = (await processTree.findTree(this.#root())).filter((one) => one.group === group);
    // An empty group is a job that ended just now; the shell is next.
    if (job.length === 0) return processTree.sendSignal(this.leader, signal);
    return job.map((process) => processTree.sendSignal(process, signal)).includes(true);
  }

  #root(): processTree.TreeRoot {
    return {
      leader: this.leader,
      marker: this.id,
      group: this.#enforcement.group,
      leaderGoneAtTicks: this.#leaderGoneAtTicks,
    };
  }

  /** Past this check the master's fd is ours: the stream closes it in the same turn in which it reports that. */
  #requireRunning(verb: string): void {
    if (this.#stream.destroyed || this.#exit) {
      throw new NacreError("terminal_exited", `cannot ${verb}: the program has ended`);
    }
  }

  #handleRead(bytes: number): boolean {
    const read = READ_BUFFER.subarray(0, bytes);
    const { endOffset } = this.#output;
    if (bytes < BULK_READ_BYTES) this.#output.push(read);
    else this.#readOn(read);
    if (this.#input.queuedBytes > 0) this.#input.flush();
    this.#drain.handleRead(this.#output.endOffset);
    if (this.#drain.isOn) return true;
    if (!this.#output.isFull) return this.#turn.note(this.#output.endOffset - endOffset);
    this.#turn.leave();
    return false;
  }

  /** Reads on without a copy until the terminal is empty or the chunk is full. */
  #readOn(read: Uint8Array): void {
    const room = this.#output.reserve(read.byteLength);
    room.set(read);
    let filled = read.byteLength;
    const until = performance.now() + MAX_READ_ON_MS;
    for (let reads = this.#turn.maxExtraReads; reads > 0 && filled < room.byteLength; reads--) {
      const bytes = calls.readNow(this.#master, room.subarray(filled));
      if (bytes <= 0) break;
      filled += bytes;
      if (performance.now() > until) break;
    }
    this.#output.commit(filled);
  }

  #handleExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = this.#enforcement.explain(signal ? { signal } : { exitCode: code ?? 0 });
    // Held so far, so that closing the last program's descriptor does not hang up the terminal.
    closeSync(this.#slave);
    this.#leaderGoneAtTicks = calls.nowTicks();
    this.#reaped.resolve();
    // It was meant for the program that is gone, not for whoever else reads this terminal.
    this.#input.clear();
    if (this.#stream.closed) return this.#reportExit(this.#hasReachedEnd);
    // Drained at once, even for a reader that is behind.
    this.#turn.leave();
    this.#drain.start(this.#output.endOffset);
    this.#stream.resume();
  }

  #handleClose(): void {
    this.#turn.leave();
    this.#drain.stop();
    this.#input.clear();
    this.#output.end();
    this.#reportExit(this.#hasReachedEnd);
  }

  #reportExit(drained: boolean): void {
    if (!this.#exit) return;
    this.#exited.resolve({ ...this.#exit, outputBytes: this.#output.endOffset, drained });
  }
}

/** PTYs straight from the Linux kernel: no package, no thread per terminal, exact exits, no inherited descriptors. */
export const linuxPty: PtyDriver = {
  name: "linux-pty",

  async spawn(launch) {
    if (!calls.linuxCallsWork) {
      throw new NacreError("pty_unavailable", "linux-pty needs Linux on x86-64 or arm64");
    }
    const size = checkSize(launch.size);
    requireDescriptors();
    await checkExecutable(launch.file);
    using directory = OpenDirectory.open(launch.cwd, launch.allowedRoots);
    const id = randomUUID();
    const master = openMaster();
    let limiting: LimitEnforcement | undefined;
    let started: StartedChild | undefined;
    let pty: LinuxPty;
    try {
      calls.setSize(master, size);
      calls.enableUtf8(master);
      limiting = LimitEnforcement.prepare(launch, id);
      const { words } = limiting;
      started = await startChild(launch, { id, master, cwd: directory.childPath, words });
      pty = new LinuxPty(id, master, { ...started, limiting });
    } catch (error) {
      if (started) closeSync(started.slave);
      started?.child.kill("SIGKILL");
      await limiting?.end();
      closeSync(master);
      throw error;
    }
    if (directory.isInside(launch.allowedRoots)) return pty;
    await pty[Symbol.asyncDispose]();
    throw movedAwayError(launch.cwd);
  },

  list: async () => [],

  async adopt(id) {
    throw new NacreError("terminal_not_found", `no running Pty ${id}: linux-pty keeps none`);
  },
};
