import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import { constants as osConstants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { NacreError, type Size } from "@nacre/contracts/plain";
import { checkExecutable } from "./resolve-command.ts";
import { refuseLimits } from "./limits/program-limits.ts";
import { OutputQueue } from "./output-queue.ts";
import {
  checkBytes,
  checkGrace,
  checkSignal,
  checkSize,
  type Chunk,
  DEFAULT_GRACE_MS,
  type KillReport,
  MAX_QUEUED_INPUT_BYTES,
  type Pty,
  type PtyDriver,
  type PtyExit,
  type PtyLaunch,
  type PtyState,
  type SignalTarget,
} from "./pty.ts";
import { isInsideRoots } from "./working-directory.ts";

/** The part of the package's terminal that is used. */
export interface NodePtyTerminal {
  readonly pid: number;
  onData(listener: (data: string | Uint8Array) => void): unknown;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  write(data: string | Uint8Array): void;
  resize(cols: number, rows: number): void;
  kill(): void;
  pause(): void;
  resume(): void;
}

/** The part of the package that is used, so that tests can replace it. */
export interface NodePtyPackage {
  spawn(file: string, args: string[], options: NodePtyOptions): NodePtyTerminal;
}

/** `encoding: null` keeps bytes. */
export interface NodePtyOptions {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly encoding: null;
  /** False asks for winpty, in editions of the package that still have it. */
  readonly useConpty?: boolean;
}

/** The package does not report queued input, so what was written within this time counts as queued. */
const INPUT_WINDOW_MS = 100;

/** How long SIGKILL may take before the leader counts as a survivor. */
const MAX_KILL_MS = 5000;

/** Grace after SIGTERM before SIGHUP; shells end only on that. */
const HANG_UP_MS = 500;

/** Control characters of keyboard signals. */
const KEYS: Partial<Record<NodeJS.Signals, number>> = {
  SIGINT: 0x03,
  SIGQUIT: 0x1c,
  SIGTSTP: 0x1a,
};

/** ConPTY's error where only winpty works. */
const CONPTY_REFUSAL = "AttachConsole failed";

/** Where a number has two names, the first is the common one. */
const signalNames = new Map(
  Object.entries(osConstants.signals)
    .map(([name, number]) => [number, name as NodeJS.Signals] as const)
    .toReversed(),
);

class NodePty implements Pty {
  readonly id = randomUUID();
  readonly leader: { readonly pid: number; readonly startTicks: number };
  readonly exited: Promise<PtyExit>;
  readonly #exited = Promise.withResolvers<PtyExit>();
  readonly #pty: NodePtyTerminal;
  readonly #isWindows: boolean;
  readonly #queue: OutputQueue;
  #size: Size;
  #hasExited = false;
  #recentInputBytes = 0;

  constructor(pty: NodePtyTerminal, size: Size, isWindows: boolean) {
    this.#pty = pty;
    this.#size = size;
    this.#isWindows = isWindows;
    this.leader = { pid: pty.pid, startTicks: 0 };
    this.exited = this.#exited.promise;
    this.#queue = new OutputQueue(() => pty.resume());
    pty.onData((data) => this.#handleData(data));
    pty.onExit(({ exitCode, signal }) => this.#handleExit(exitCode, signal));
  }

  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    return this.#queue.read(spare);
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.#requireRunning("write");
    const { byteLength } = bytes;
    if (this.#recentInputBytes + byteLength > MAX_QUEUED_INPUT_BYTES) {
      throw new NacreError(
        "input_queue_full",
        `${this.#recentInputBytes} bytes of input were just sent`,
      );
    }
    this.#recentInputBytes += byteLength;
    setTimeout(() => (this.#recentInputBytes -= byteLength), INPUT_WINDOW_MS).unref();
    // node-pty may write it later, and the caller may use its bytes again at once.
    this.#pty.write(Buffer.from(bytes));
    this.#queue.hurry();
  }

  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.#requireRunning("resize");
    this.#pty.resize(checked.cols, checked.rows);
    this.#size = checked;
  }

  async state(): Promise<PtyState> {
    this.#requireRunning("tell its state");
    return { size: this.#size, queuedInputBytes: this.#recentInputBytes };
  }

  async signal(signal: NodeJS.Signals, target: SignalTarget = "foreground"): Promise<void> {
    checkSignal(signal, target);
    this.#requireRunning("signal");
    const key = KEYS[signal];
    if (target === "foreground") {
      if (key === undefined) throw unsupported(`${signal} to the job in the foreground`);
      this.#pty.write(Uint8Array.of(key));
      return;
    }
    if (this.#isWindows) throw unsupported(`${signal} on Windows`);
    this.#send(signal, target);
  }

  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    if (this.#hasExited) return { ended: 0, forced: false, survivors: [] };
    let forced = false;
    this.#send("SIGTERM", "tree");
    this.#send("SIGCONT", "tree");
    // Interactive shells ignore SIGTERM and end on SIGHUP, as when a window closes.
    const hangUp = setTimeout(
      () => this.#send("SIGHUP", "tree"),
      Math.min(graceMs / 2, HANG_UP_MS),
    );
    const force = setTimeout(() => {
      forced = true;
      this.#send("SIGKILL", "tree");
    }, graceMs);
    const hasEnded = await Promise.race([
      this.exited.then(() => true),
      wait(graceMs + MAX_KILL_MS, false, { ref: false }),
    ]);
    clearTimeout(hangUp);
    clearTimeout(force);
    if (hasEnded) return { ended: 1, forced, survivors: [] };
    return { ended: 0, forced, survivors: [{ ...this.leader, name: "leader" }] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill(0);
  }

  /** Windows can only end a process; elsewhere the package reaches as far as the leader's process group. */
  #send(signal: NodeJS.Signals, target: "leader" | "tree"): void {
    if (this.#hasExited) return;
    try {
      if (!this.#isWindows)
        process.kill(target === "tree" ? -this.leader.pid : this.leader.pid, signal);
      else if (signal === "SIGTERM") this.#pty.kill();
    } catch {
      // Already gone but not reported yet, or another user's; its exit tells.
    }
  }

  #requireRunning(verb: string): void {
    if (this.#hasExited) {
      throw new NacreError("terminal_exited", `cannot ${verb}: the program has ended`);
    }
  }

  #handleData(data: string | Uint8Array): void {
    this.#queue.push(typeof data === "string" ? Buffer.from(data) : data);
    if (this.#queue.isFull) this.#pty.pause();
  }

  #handleExit(exitCode: number, signal: number | undefined): void {
    this.#hasExited = true;
    this.#queue.end();
    const name = signalNames.get(signal ?? 0);
    const how = name ? { signal: name } : { exitCode };
    this.#exited.resolve({ ...how, outputBytes: this.#queue.endOffset, drained: true });
  }
}

/** PTYs from the node-pty package, for macOS and Windows. */
export function createNodePty(
  nodePty: NodePtyPackage,
  platform: NodeJS.Platform = process.platform,
): PtyDriver {
  return {
    name: "node-pty",

    async spawn(launch) {
      refuseLimits(launch);
      const size = checkSize(launch.size);
      if (platform !== "win32") await checkExecutable(launch.file);
      await checkDirectory(launch);
      return new NodePty(start(nodePty, { ...launch, size }, platform), size, platform === "win32");
    },

    async list() {
      return [];
    },

    async adopt(id) {
      throw new NacreError("terminal_not_found", `no running Pty ${id}: node-pty keeps none`);
    },
  };
}

function start(
  nodePty: NodePtyPackage,
  launch: PtyLaunch,
  platform: NodeJS.Platform,
): NodePtyTerminal {
  const options: NodePtyOptions = {
    name: launch.env["TERM"] ?? "xterm-256color",
    cols: launch.size.cols,
    rows: launch.size.rows,
    cwd: launch.cwd,
    env: { ...launch.env },
    encoding: null,
  };
  try {
    return nodePty.spawn(launch.file, [...launch.args], options);
  } catch (cause) {
    if (platform === "win32" && String(cause).includes(CONPTY_REFUSAL)) {
      try {
        return nodePty.spawn(launch.file, [...launch.args], { ...options, useConpty: false });
      } catch (second) {
        throw spawnFailed(launch.file, second);
      }
    }
    throw spawnFailed(launch.file, cause);
  }
}

/** The package takes a path, so the directory is checked as late as possible; linux-pty holds it open instead. */
async function checkDirectory({ cwd, allowedRoots }: PtyLaunch): Promise<void> {
  const real = await realpath(cwd).catch(() => undefined);
  if (real === undefined) {
    throw new NacreError("cwd_not_found", `${cwd} is no longer a directory`, { field: "cwd" });
  }
  if (!isInsideRoots(real, allowedRoots)) {
    throw new NacreError("cwd_forbidden", `${cwd} is not inside the allowed roots`, {
      field: "cwd",
    });
  }
}

const unsupported = (what: string): NacreError =>
  new NacreError("unsupported", `node-pty cannot send ${what}`);

const spawnFailed = (file: string, cause: unknown): NacreError =>
  new NacreError("spawn_failed", `cannot start ${file}: ${String(cause)}`, { cause });
