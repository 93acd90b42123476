import { randomUUID } from "node:crypto";
import { closeSync, readlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { getSystemErrorName } from "node:util";
import { NacreError, type Size } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import koffi from "koffi";
import { toExhaustionErrorByName } from "./resource-exhaustion.ts";
import { InputQueue } from "./input-queue.ts";
import { LimitEnforcement } from "./limits/limit-enforcement.ts";
import * as calls from "./linux-calls.ts";
import { createLinuxDriver, LinuxProgram } from "./linux-program.ts";
import { type RunningChild, startMarked } from "./linux-start.ts";
import { CHUNK_BYTES, OutputDrain, OutputQueue } from "./output-queue.ts";
import * as processTree from "./process-tree.ts";
import {
  checkBytes,
  checkSize,
  type Chunk,
  type Pty,
  type PtyDriver,
  type PtyLaunch,
  type PtyState,
  type Survivor,
} from "./pty.ts";

type PipeName = "stdout" | "stderr";

/** Consecutive bytes from the same pipe. */
interface StreamRun {
  readonly from: PipeName;
  endOffset: number;
}

/** Orders the bytes of two pipes by arrival; no chunk has bytes of both. */
export class PipeOutput {
  readonly #queue: OutputQueue;
  /** Oldest first. */
  readonly #runs: StreamRun[] = [];
  /** The rest of a chunk that had bytes of both pipes. */
  #rest: Chunk | undefined;

  constructor(onRoom: () => void) {
    this.#queue = new OutputQueue(onRoom);
  }

  get endOffset(): number {
    return this.#queue.endOffset;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Copies; the caller may reuse its buffer at once. */
  push(from: PipeName, bytes: Uint8Array): void {
    const endOffset = this.#queue.endOffset + bytes.byteLength;
    const newest = this.#runs.at(-1);
    // Noted first, since a waiting reader gets the bytes at once.
    if (newest?.from === from) newest.endOffset = endOffset;
    else this.#runs.push({ from, endOffset });
    this.#queue.push(bytes);
  }

  /** The next output answers an input: it is not merged with more. */
  hurry(): void {
    this.#queue.hurry();
  }

  /** Queued bytes can still be read. */
  end(): void {
    this.#queue.end();
  }

  /** See `Pty.read` for `spare`. */
  async read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    const chunk = this.#rest ?? (await this.#queue.read(spare));
    const [run] = this.#runs;
    if (!chunk || !run) return chunk;
    const { offset, bytes } = chunk;
    const endOffset = offset + bytes.byteLength;
    if (run.endOffset <= endOffset) this.#runs.shift();
    const mark = run.from === "stderr" ? { stream: run.from } : {};
    const isCut = run.endOffset < endOffset;
    const cut = run.endOffset - offset;
    // Each part needs a buffer of its own.
    const own = isCut || this.#rest ? bytes.slice(0, cut) : bytes;
    this.#rest = isCut ? { offset: run.endOffset, bytes: bytes.subarray(cut) } : undefined;
    return { offset, bytes: own, ...mark };
  }
}

/** The host's end of a program's stdin pipe; never blocks the host. */
class PipeInput implements Disposable {
  readonly #queue = new InputQueue((bytes) => this.#offer(bytes));
  #end: number | undefined;
  #isEnding = false;

  /** Takes ownership of a non-blocking descriptor. */
  constructor(end: number) {
    this.#end = end;
  }

  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  /** All of the bytes or none; refuses them when nobody can read them any more. */
  push(bytes: Uint8Array): void {
    if (this.#end !== undefined && !this.#isEnding) this.#queue.push(bytes);
    // A closed stdin shows only on a write (EPIPE).
    if (this.#end !== undefined && !this.#isEnding) return;
    throw new NacreError("conflict", "cannot write: the input of the program was closed");
  }

  flush(): void {
    if (this.#queue.queuedBytes > 0) this.#queue.flush();
  }

  /** Once everything queued is taken. */
  end(): void {
    this.#isEnding = true;
    if (this.#queue.queuedBytes === 0) this[Symbol.dispose]();
  }

  /** At once; drops what is queued. */
  [Symbol.dispose](): void {
    this.#queue.clear();
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }

  #offer(bytes: Uint8Array): number {
    if (this.#end === undefined) return bytes.byteLength;
    try {
      const taken = writeSync(this.#end, bytes);
      // What is offered last counts as queued until this returns.
      if (this.#isEnding && taken === this.#queue.queuedBytes) this.#close();
      return taken;
    } catch (error) {
      if (hasErrno(error, "EAGAIN")) return 0;
      // The program closed its stdin.
      this.#close();
      return bytes.byteLength;
    }
  }

  /** The queue is being emptied and must not be touched meanwhile. */
  #close(): void {
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }
}

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const F_SETFL = 4;

const libc = koffi.load(null);
const pipe2 = libc.func("pipe2", "int", ["void *", "int"]);
const fcntl = libc.func("fcntl", "int", ["int", "int", "int"]);

/** Close-on-exec. */
interface LinuxPipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** A kernel pipe. Node's stdio pipes are socketpairs, which a program cannot reopen as /dev/stdout, as scripts do. */
function openPipe(): LinuxPipe {
  const ends = new Int32Array(2);
  if (pipe2(ends, O_CLOEXEC) === 0) return { readEnd: ends[0]!, writeEnd: ends[1]! };
  const name = getSystemErrorName(-koffi.errno());
  throw (
    toExhaustionErrorByName("cannot open a pipe", name) ??
    new NacreError("pty_unavailable", `cannot open a pipe: ${name}`)
  );
}

/** O_NONBLOCK on this end only. */
function makeNonBlocking(end: number): void {
  fcntl(end, F_SETFL, O_NONBLOCK);
}

/** The kernel buffers 64 KiB per pipe, so more after the exit was written by another program. */
const MAX_DRAIN_BYTES = 2 * 64 * 1024 + 1;

/** Filled and emptied within one callback, so all pipes share it. */
const READ_BUFFER = Buffer.allocUnsafeSlow(CHUNK_BYTES);

interface PipePtyDeps {
  readonly size: Size;
  readonly limiting: LimitEnforcement;
  readonly input: number;
  readonly stdout: number;
  readonly stderr: number;
}

interface PipeSource {
  readonly end: number;
  readonly socket: Socket;
}

class PipePty extends LinuxProgram implements Pty {
  readonly #sources: readonly PipeSource[];
  readonly #input: PipeInput;
  readonly #output = new PipeOutput(() => this.#resume());
  readonly #drain = new OutputDrain({
    maxBytes: MAX_DRAIN_BYTES,
    isReadable: () => this.#open.some(({ end }) => calls.isReadable(end)),
    giveUp: () => this.reportExit(false),
  });
  #size: Size;
  #endsReached = 0;
  #closed = 0;

  constructor(id: string, child: RunningChild, { size, limiting, ...ends }: PipePtyDeps) {
    super(id, child, limiting);
    this.#size = size;
    this.#input = new PipeInput(ends.input);
    this.#sources = [
      this.#openSource("stdout", ends.stdout),
      this.#openSource("stderr", ends.stderr),
    ];
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
  }

  async endInput(): Promise<void> {
    this.#input.end();
  }

  /** Only remembered: there is no terminal. */
  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.requireRunning("resize");
    this.#size = checked;
  }

  async state(): Promise<PtyState> {
    this.requireRunning("tell its state");
    return { size: this.#size, queuedInputBytes: this.#input.queuedBytes };
  }

  protected override get outputBytes(): number {
    return this.#output.endOffset;
  }

  protected override close(): void {
    this.#input[Symbol.dispose]();
    for (const { socket } of this.#sources) socket.destroy();
  }

  /** Without a terminal, the group that the program was started with is what a keyboard would reach. */
  protected override async signalForeground(signal: NodeJS.Signals): Promise<boolean> {
    const job = (await this.findTree()).filter(({ group }) => group === this.leader.pid);
    return job.map((process) => processTree.sendSignal(process, signal)).includes(true);
  }

  protected override async findHolders(): Promise<readonly Survivor[]> {
    const names = this.#open
      .filter(({ end }) => calls.isHeld(end))
      .map(({ end }) => readlinkSync(`/proc/self/fd/${end}`));
    const found = (await Promise.all(names.map((name) => processTree.findHolders(name)))).flat();
    return [...new Map(found.map((holder) => [holder.pid, holder])).values()];
  }

  /** The pipes whose ends are still ours: a socket closes its own in the same turn in which it says so. */
  get #open(): readonly PipeSource[] {
    return this.#sources.filter(({ socket }) => !socket.destroyed);
  }

  #openSource(name: PipeName, end: number): PipeSource {
    const callback = (bytes: number): boolean => {
      this.#handleRead(name, READ_BUFFER.subarray(0, bytes));
      return true;
    };
    const onread = { buffer: READ_BUFFER, callback };
    const socket = new Socket({ fd: end, readable: true, writable: false, onread });
    socket.on("end", () => this.#endsReached++);
    // `close` follows in any case, and the exit reports that the end was not reached.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#handleClose());
    socket.resume();
    return { end, socket };
  }

  #resume(): void {
    for (const { socket } of this.#open) socket.resume();
  }

  #handleRead(name: PipeName, bytes: Uint8Array): void {
    this.#output.push(name, bytes);
    this.#input.flush();
    this.#drain.handleRead(this.#output.endOffset);
    if (this.#drain.isOn || !this.#output.isFull) return;
    for (const { socket } of this.#open) socket.pause();
  }

  protected override handleExit(): void {
    // It was meant for the program that is gone, not for whoever else may read this pipe.
    this.#input[Symbol.dispose]();
    if (this.#closed === this.#sources.length) return this.reportExit(this.#hasReachedEnd);
    // What the program left in the kernel is fetched at once, even for a reader that is behind.
    this.#drain.start(this.#output.endOffset);
    this.#resume();
  }

  get #hasReachedEnd(): boolean {
    return this.#endsReached === this.#sources.length;
  }

  #handleClose(): void {
    this.#closed++;
    if (this.#closed < this.#sources.length) return;
    this.#drain.stop();
    this.#output.end();
    this.reportExit(this.#hasReachedEnd);
  }
}

async function startOnPipes(launch: PtyLaunch, cwd: string): Promise<PipePty> {
  const id = randomUUID();
  using theirs = new DisposableStack();
  using ours = new DisposableStack();
  const open = (isInput: boolean): { own: number; other: number } => {
    const { readEnd, writeEnd } = openPipe();
    const [own, other] = isInput ? [writeEnd, readEnd] : [readEnd, writeEnd];
    return { own: ours.adopt(own, closeSync), other: theirs.adopt(other, closeSync) };
  };
  const [input, stdout, stderr] = [open(true), open(false), open(false)];
  makeNonBlocking(input.own);
  const stdio: [number, number, number] = [input.other, stdout.other, stderr.other];
  await using limited = new AsyncDisposableStack();
  const limiting = LimitEnforcement.prepare(launch, id);
  limited.defer(() => limiting.end());
  const child = await startMarked(launch, { id, cwd, stdio, words: limiting.words, leads: true });
  try {
    const ends = { input: input.own, stdout: stdout.own, stderr: stderr.own };
    const pty = new PipePty(id, child, { ...ends, size: launch.size, limiting });
    ours.move();
    limited.move();
    return pty;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Programs without a terminal, on pipes of the Linux kernel: standard output and standard error apart, everything else as linux-pty. */
export const pipePty: PtyDriver = createLinuxDriver("pipe-pty", startOnPipes);
