import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { Size } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import { InputQueue } from "./input-queue.ts";
import { LimitEnforcement } from "./limits/limit-enforcement.ts";
import * as calls from "./linux-calls.ts";
import { createLinuxDriver, LinuxProgram } from "./linux-program.ts";
import { openMaster, startChild, type StartedChild } from "./linux-start.ts";
import { CHUNK_BYTES, OutputDrain, OutputQueue } from "./output-queue.ts";
import * as processTree from "./process-tree.ts";
import {
  checkBytes,
  checkSize,
  type Chunk,
  type LineModes,
  type Pty,
  type PtyDriver,
  type PtyLaunch,
  type PtyState,
  type Survivor,
  type TerminalDevice,
} from "./pty.ts";
import { ScheduledRead } from "./read-scheduler.ts";
import { lowerAutogroupPriority } from "./autogroup-priority.ts";

/** The kernel buffers some 12 KiB per terminal, so more after the exit was written by another program. */
const MAX_DRAIN_BYTES = 128 * 1024;

/** A read this large means a flood: reading on saves an event-loop turn per 4 KiB. */
const BULK_READ_BYTES = 1024;

/** A read may sleep in the kernel while other programs have the CPUs; then other terminals go first. */
const MAX_READ_ON_MS = 1;

/** Filled and emptied within one callback, so all terminals share it. */
const READ_BUFFER = Buffer.allocUnsafeSlow(CHUNK_BYTES);

class LinuxPty extends LinuxProgram implements Pty {
  readonly device: TerminalDevice;
  readonly #master: number;
  readonly #slave: number;
  readonly #stream: ReadStream;
  readonly #turn = new ScheduledRead(() => this.#stream.resume());
  readonly #output = new OutputQueue(() => void (this.#turn.isWaiting || this.#stream.resume()));
  readonly #input = new InputQueue((bytes) =>
    this.#stream.destroyed ? 0 : calls.writeNow(this.#master, bytes),
  );
  readonly #drain = new OutputDrain({
    maxBytes: MAX_DRAIN_BYTES,
    isReadable: () => calls.isReadable(this.#master),
    giveUp: () => this.reportExit(false),
  });
  #hasReachedEnd = false;

  constructor(
    id: string,
    { master, child, slave }: StartedChild & { readonly master: number },
    limiting: LimitEnforcement,
  ) {
    super(id, child, limiting);
    this.#slave = slave;
    this.#master = master;
    this.device = calls.getDevice(master, slave);
    this.#stream = new ReadStream(master, {
      onread: { buffer: READ_BUFFER, callback: (bytes) => this.#handleRead(bytes) },
    });
    // EIO is the end of a terminal; `close` follows in any case.
    this.#stream.on("error", (error) => (this.#hasReachedEnd = hasErrno(error, "EIO")));
    this.#stream.on("close", () => this.#handleClose());
    this.#stream.resume();
    this.watch(child);
  }

  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    return this.#output.read(spare);
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.requireRunning("write");
    this.#input.push(bytes);
    this.#output.hurry();
    this.#turn.holdOthers();
  }

  async writeIn({ echo, canonical }: LineModes, bytes: Uint8Array): Promise<boolean> {
    checkBytes(bytes);
    this.requireRunning("write");
    const modes = calls.getModes(this.#master);
    const isSame = modes.echo === echo && modes.canonical === canonical;
    if (!isSame || this.#input.queuedBytes > 0) return false;
    await this.write(bytes);
    return true;
  }

  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.requireRunning("resize");
    calls.setSize(this.#master, checked);
  }

  async state(): Promise<PtyState> {
    this.requireRunning("tell its state");
    return {
      size: calls.getSize(this.#master),
      queuedInputBytes: this.#input.queuedBytes,
      foregroundProcessGroup: calls.getForegroundProcessGroup(this.#master),
      ...calls.getModes(this.#master),
    };
  }

  lowerPriority(among: number): boolean {
    return !super.isOver && lowerAutogroupPriority(this.leader.pid, among);
  }

  protected override get outputBytes(): number {
    return this.#output.endOffset;
  }

  /** While it is not, the master's number is ours: the stream closes it in the same turn in which it says so. */
  protected override get isOver(): boolean {
    return this.#stream.destroyed || super.isOver;
  }

  protected override async findHolders(): Promise<readonly Survivor[]> {
    if (this.#stream.destroyed || !calls.isHeld(this.#master)) return [];
    return processTree.findHolders(this.device.path);
  }

  protected override close(): void {
    this.#input.clear();
    this.#stream.destroy();
  }

  protected override async signalForeground(signal: NodeJS.Signals): Promise<boolean> {
    if (calls.KEYBOARD_SIGNALS.includes(signal)) {
      calls.signalForeground(this.#master, signal);
      return true;
    }
    const group = calls.getForegroundProcessGroup(this.#master);
    const job = (await this.findTree()).filter((one) => one.group === group);
    // A group without members is what a job leaves that ended just now; the shell is next.
    if (job.length === 0) return processTree.sendSignal(this.leader, signal);
    return job.map((process) => processTree.sendSignal(process, signal)).includes(true);
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

  protected override handleExit(): void {
    // Held so far, so that a program that lets go of its terminal is not hung up on.
    closeSync(this.#slave);
    // It was meant for the program that is gone, not for whoever else may read this terminal.
    this.#input.clear();
    if (this.#stream.closed) return this.reportExit(this.#hasReachedEnd);
    // What the program left in the kernel is fetched at once, even for a reader that is behind.
    this.#turn.leave();
    this.#drain.start(this.#output.endOffset);
    this.#stream.resume();
  }

  #handleClose(): void {
    this.#turn.leave();
    this.#drain.stop();
    this.#input.clear();
    this.#output.end();
    this.reportExit(this.#hasReachedEnd);
  }
}

/** Starts a program on a new terminal. */
async function startOnTerminal(launch: PtyLaunch, cwd: string): Promise<LinuxPty> {
  const id = randomUUID();
  const master = openMaster();
  let limiting: LimitEnforcement | undefined;
  let started: StartedChild | undefined;
  try {
    calls.setSize(master, launch.size);
    calls.enableUtf8(master);
    limiting = LimitEnforcement.prepare(launch, id);
    started = await startChild(launch, { id, master, cwd, words: limiting.words });
    return new LinuxPty(id, { master, ...started }, limiting);
  } catch (error) {
    if (started) closeSync(started.slave);
    started?.child.kill("SIGKILL");
    await limiting?.end();
    closeSync(master);
    throw error;
  }
}

/** Ptys straight from the Linux kernel: no package, no thread per terminal, exact exits, no foreign descriptors. */
export const linuxPty: PtyDriver = createLinuxDriver("linux-pty", startOnTerminal);
