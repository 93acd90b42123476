import { randomUUID } from "node:crypto";
import { NacreError, type Size } from "@nacre/contracts/plain";
import { refuseLimits } from "../limits/program-limits.ts";
import { OutputQueue } from "../output-queue.ts";
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
  type PtyState,
  type SignalTarget,
} from "../pty.ts";

/** Ends an EchoPty with code 0 when it is written, as it ends `cat`. */
export const END_OF_INPUT = 0x04;

/** A Pty without an operating system: whatever is written comes back, until END_OF_INPUT. */
class EchoPty implements Pty {
  readonly id = randomUUID();
  readonly leader = { pid: 0, startTicks: 0 };
  readonly exited: Promise<PtyExit>;
  readonly #exited = Promise.withResolvers<PtyExit>();
  readonly #queue = new OutputQueue(() => this.#echo());
  readonly #input: Uint8Array[] = [];
  #inputBytes = 0;
  #size: Size;
  #isEnding = false;
  #hasExited = false;

  constructor(size: Size) {
    this.#size = size;
    this.exited = this.#exited.promise;
  }

  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    return this.#queue.read(spare);
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.#requireRunning();
    if (this.#inputBytes + bytes.byteLength > MAX_QUEUED_INPUT_BYTES) {
      throw new NacreError("input_queue_full", `${this.#inputBytes} bytes of input already wait`);
    }
    const end = bytes.indexOf(END_OF_INPUT);
    const echoed = end < 0 ? bytes.slice() : bytes.slice(0, end);
    this.#isEnding ||= end >= 0;
    this.#input.push(echoed);
    this.#inputBytes += echoed.byteLength;
    this.#echo();
  }

  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.#requireRunning();
    this.#size = checked;
  }

  async state(): Promise<PtyState> {
    this.#requireRunning();
    return { size: this.#size, queuedInputBytes: this.#inputBytes };
  }

  async signal(signal: NodeJS.Signals, target?: SignalTarget): Promise<void> {
    checkSignal(signal, target);
    this.#requireRunning();
    this.#end({ signal });
  }

  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    const ended = this.#hasExited ? 0 : 1;
    this.#end({ signal: "SIGTERM" });
    return { ended, forced: false, survivors: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #requireRunning(): void {
    if (this.#hasExited || this.#isEnding) {
      throw new NacreError("terminal_exited", "the program has ended");
    }
  }

  #echo(): void {
    while (!this.#queue.isFull) {
      const bytes = this.#input.shift();
      if (!bytes) break;
      this.#inputBytes -= bytes.byteLength;
      this.#queue.push(bytes);
    }
    if (this.#isEnding && this.#inputBytes === 0) this.#end({ exitCode: 0 });
  }

  #end(how: Pick<PtyExit, "exitCode" | "signal">): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#input.length = 0;
    this.#queue.end();
    this.#exited.resolve({ ...how, outputBytes: this.#queue.endOffset, drained: true });
  }
}

/** The fake driver: for tests of what stands above a Pty. */
export const echoPty: PtyDriver = {
  name: "echo-pty",

  async spawn(launch) {
    refuseLimits(launch);
    return new EchoPty(checkSize(launch.size));
  },

  async list() {
    return [];
  },

  async adopt(id) {
    throw new NacreError("terminal_not_found", `no running Pty ${id}: echo-pty keeps none`);
  },
};
