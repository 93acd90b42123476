import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { NacreError, parse, Size } from "@nacre/contracts";
import * as calls from "./linux-calls.ts";
import { CHUNK_BYTES, OutputQueue } from "./output-queue.ts";
import { InputQueue } from "./input-queue.ts";
import * as processTree from "./process-tree.ts";
import {
  checkSignal,
  type Chunk,
  DEFAULT_GRACE_MS,
  type KillReport,
  type ProcessIdentity,
  type Pty,
  type PtyDriver,
  type PtyExit,
  type PtyLaunch,
  type PtyState,
  type SignalTarget,
} from "./pty.ts";
import { OpenDirectory } from "./working-directory.ts";

/** How long the exit waits for the end of output when another program keeps the terminal open. */
const DRAIN_MS = 500;

/** How soon the drain looks again while bytes are still there to read. */
const DRAIN_AGAIN_MS = 20;

/** The kernel keeps some 12 KiB per terminal, so more than this after the exit was written by another program. */
const MAX_DRAIN_BYTES = 1024 * 1024;

/** A read this large means a flood: more is taken at once, which saves a turn of the event loop per 4 KiB. */
const BULK_READ_BYTES = 1024;

/** How many reads one terminal may take in a turn before the others are served. */
const READS_PER_TURN = 16;

/** Filled and emptied within one callback, so all terminals share it and an idle one costs no buffer. */
const READ_BUFFER = Buffer.allocUnsafeSlow(CHUNK_BYTES);

const SETSID = ["/usr/bin/setsid", "/bin/setsid"].find((path) => existsSync(path));

class LinuxPty implements Pty {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly exited: Promise<PtyExit>;
  readonly #master: number;
  readonly #stream: ReadStream;
  readonly #output = new OutputQueue(() => this.#stream.resume());
  readonly #input = new InputQueue((bytes) => calls.writeNow(this.#master, bytes));
  readonly #reaped = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<PtyExit>();
  #exit: Pick<PtyExit, "exitCode" | "signal"> | undefined;
  #leaderGoneAtTicks: number | undefined;
  #drainFromOffset = 0;
  #isDraining = false;

  constructor(id: string, master: number, child: RunningChild) {
    this.id = id;
    this.leader = {
      pid: child.pid,
      startTicks: processTree.readProcess(child.pid)?.startTicks ?? 0,
    };
    this.exited = this.#exited.promise;
    this.#master = master;
    this.#stream = new ReadStream(master, {
      onread: { buffer: READ_BUFFER, callback: (bytes) => this.#handleRead(bytes) },
    });
    // The end of a terminal is the error EIO; whatever the reason, `close` follows.
    this.#stream.on("error", () => {});
    this.#stream.on("close", () => this.#handleEnd());
    this.#stream.resume();
    child.on("exit", (code, signal) => this.#handleExit(code, signal));
  }

  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    return this.#output.read(spare);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#requireRunning("write");
    this.#input.push(bytes);
    this.#output.hurry();
  }

  async resize(size: Size): Promise<void> {
    const checked = parse(Size, size, "size");
    this.#requireRunning("resize");
    calls.setSize(this.#master, checked);
  }

  async state(): Promise<PtyState> {
    this.#requireRunning("look at");
    return {
      size: calls.getSize(this.#master),
      queuedInputBytes: this.#input.queuedBytes,
      foregroundProcessGroup: calls.getForegroundProcessGroup(this.#master),
      ...calls.getModes(this.#master),
    };
  }

  async signal(signal: NodeJS.Signals, target: SignalTarget = "foreground"): Promise<void> {
    checkSignal(signal);
    if (target === "tree") return processTree.signalTree(this.#root(), signal);
    this.#requireRunning("signal");
    const group = target === "foreground" ? calls.getForegroundProcessGroup(this.#master) : 0;
    if (group > 0) process.kill(-group, signal);
    else processTree.send(this.leader, signal);
  }

  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    const report = await processTree.endTree(() => this.#root(), graceMs);
    if (!report.survivors.some(({ pid }) => pid === this.leader.pid)) await this.#reaped.promise;
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill(0);
    this.#stream.destroy();
  }

  #root(): processTree.TreeRoot {
    return {
      leader: this.leader,
      marker: this.id,
      ...(this.#leaderGoneAtTicks === undefined
        ? {}
        : { leaderGoneAtTicks: this.#leaderGoneAtTicks }),
    };
  }

  /** Past this check the master's number is ours: the stream closes it in the same turn in which it says so. */
  #requireRunning(verb: string): void {
    if (this.#stream.destroyed || this.#exit) {
      throw new NacreError("terminal_exited", `cannot ${verb}: the program has ended`);
    }
  }

  #handleRead(bytes: number): boolean {
    this.#output.push(READ_BUFFER.subarray(0, bytes));
    if (bytes >= BULK_READ_BYTES) this.#readMore();
    if (this.#input.queuedBytes > 0) this.#input.flush();
    return this.#isDraining || !this.#output.isFull;
  }

  /** Reads on into the open chunk, without a copy, until the terminal is empty for now or the chunk is full. */
  #readMore(): void {
    const room = this.#output.reserve();
    let filled = 0;
    for (let reads = 0; reads < READS_PER_TURN && filled < room.byteLength; reads++) {
      const bytes = calls.readNow(this.#master, filled === 0 ? room : room.subarray(filled));
      if (bytes <= 0) break;
      filled += bytes;
    }
    this.#output.commit(filled);
  }

  #handleEnd(): void {
    this.#input.clear();
    this.#output.end();
    this.#reportExit(true);
  }

  #handleExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#leaderGoneAtTicks = processTree.nowTicks();
    this.#exit = signal ? { signal } : { exitCode: code ?? 0 };
    this.#reaped.resolve();
    if (this.#stream.closed) return this.#reportExit(true);
    // What the program left in the kernel is fetched at once, even for a reader that is behind.
    this.#isDraining = true;
    this.#drainFromOffset = this.#output.endOffset;
    this.#stream.resume();
    setTimeout(() => this.#checkDrain(), DRAIN_MS);
  }

  #checkDrain(): void {
    if (this.#stream.destroyed) return;
    const drainedBytes = this.#output.endOffset - this.#drainFromOffset;
    if (drainedBytes < MAX_DRAIN_BYTES && calls.isReadable(this.#master)) {
      setTimeout(() => this.#checkDrain(), DRAIN_AGAIN_MS);
      return;
    }
    this.#isDraining = false;
    this.#reportExit(false);
  }

  #reportExit(drained: boolean): void {
    if (!this.#exit) return;
    this.#exited.resolve({ ...this.#exit, outputBytes: this.#output.endOffset, drained });
  }
}

/** Ptys straight from the Linux kernel: no package, no thread per terminal, exact exits, no foreign descriptors. */
export const linuxPty: PtyDriver = {
  name: "linux-pty",

  async spawn(launch) {
    if (!calls.linuxCallsWork) {
      throw new NacreError("pty_unavailable", "linux-pty needs Linux on x86-64 or arm64");
    }
    if (!SETSID) throw new NacreError("pty_unavailable", "the program setsid is missing");
    const size = parse(Size, launch.size, "size");
    using directory = OpenDirectory.open(launch.cwd, launch.allowedRoots);
    const id = randomUUID();
    const master = openMaster();
    let child: RunningChild | undefined;
    let pty: LinuxPty;
    try {
      calls.setSize(master, size);
      calls.enableUtf8(master);
      child = await startChild(launch, { id, master, setsid: SETSID, cwd: directory.childPath });
      pty = new LinuxPty(id, master, child);
    } catch (error) {
      child?.kill("SIGKILL");
      closeSync(master);
      throw error;
    }
    if (directory.isInside(launch.allowedRoots)) return pty;
    await pty[Symbol.asyncDispose]();
    throw new NacreError("cwd_forbidden", `${launch.cwd} was moved out of the allowed roots`, {
      field: "cwd",
    });
  },

  async list() {
    return [];
  },

  async adopt(id) {
    throw new NacreError("terminal_not_found", `no running Pty ${id}: linux-pty keeps none`);
  },
};

type RunningChild = ChildProcess & { readonly pid: number };

const isRunning = (child: ChildProcess): child is RunningChild => child.pid !== undefined;

function openMaster(): number {
  try {
    // Node opens everything close-on-exec, so no other program can inherit the master.
    return openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = isErrno(cause, "ENOSPC", "EMFILE", "ENFILE") ? "limit_reached" : "pty_unavailable";
    throw new NacreError(code, `cannot open a pseudo-terminal: ${String(cause)}`, { cause });
  }
}

async function startChild(
  launch: PtyLaunch,
  on: { id: string; master: number; setsid: string; cwd: string },
): Promise<RunningChild> {
  const slave = calls.openSlave(on.master);
  try {
    calls.hideDescriptors();
    // setsid makes the program the leader of a session that has the terminal, then becomes that program.
    const child = spawn(on.setsid, ["-c", launch.file, ...launch.args], {
      cwd: on.cwd,
      env: { ...launch.env, [processTree.MARKER_VARIABLE]: on.id },
      stdio: [slave, slave, slave],
    });
    if (isRunning(child)) return child;
    const [error]: unknown[] = await once(child, "error");
    throw error;
  } catch (cause) {
    const code = isErrno(cause, "E2BIG") ? "invalid_argument" : "spawn_failed";
    throw new NacreError(code, `cannot start ${launch.file}: ${String(cause)}`, { cause });
  } finally {
    closeSync(slave);
  }
}

const isErrno = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code));
