import { NacreError, type Size } from "@nacre/contracts/plain";
import { type LimitsInForce, refuseLimits } from "../pty/limits/program-limits.ts";
import { readDeviceModes } from "../pty/linux-calls.ts";
import { CHUNK_BYTES, LARGE_CHUNK_BYTES } from "../pty/output-queue.ts";
import { ProcessWatch } from "../pty/process-tree.ts";
import {
  checkBytes,
  checkGrace,
  checkSignal,
  checkSize,
  type Chunk,
  DEFAULT_GRACE_MS,
  type InputState,
  type KillReport,
  type LineModes,
  type ProcessIdentity,
  type Pty,
  type PtyDriver,
  type PtyExit,
  type PtyLaunch,
  type PtyState,
  type RunningPty,
  type SignalTarget,
  type Survivor,
  type TerminalDevice,
} from "../pty/pty.ts";
import { lowerAutogroupPriority } from "../pty/autogroup-priority.ts";
import { acquireBuffer, releaseBuffer } from "../base/buffer-pool.ts";
import type { KeeperLink, PtyListener } from "./keeper-link.ts";
import type { PtyKind } from "./kept-pty.ts";
import {
  type Fields,
  type PtyFacts,
  readExit,
  readKillReport,
  readProcesses,
  readPtyFacts,
  readPtyState,
  readRunningPtys,
} from "./wire-fields.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Step in which consumed output is reported; must not exceed any keeper's window, which would wait for ever. */
const CONSUME_BYTES = 64 * 1024;

/** So little queued input means that there is room, whoever counts. */
const FEW_INPUT_BYTES = 4096;

/** A PTY that lives in the keeper. */
class KeeperPty implements Pty, PtyListener {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly device: TerminalDevice | undefined;
  readonly limits: LimitsInForce | undefined;
  readonly exited: Promise<PtyExit>;
  readonly #link: KeeperLink;
  readonly #number: number;
  readonly #exited = Promise.withResolvers<PtyExit>();
  readonly #watch: ProcessWatch;
  readonly #chunks: Chunk[] = [];
  #arriving: Bytes | undefined;
  #waiting: PromiseWithResolvers<Chunk | undefined> | undefined;
  #consumedOffset: number;
  #acknowledgedOffset: number;
  #writtenBytes = 0;
  /** Upper bound of the queued input, and what was written since. */
  #queued = { bytes: Number.POSITIVE_INFINITY, writtenBytes: 0 };
  #isAtEnd = false;
  #hasExited = false;
  #isDisposed = false;
  #loss: NacreError | undefined;

  constructor(link: KeeperLink, facts: PtyFacts, fromOffset: number) {
    const { number } = facts;
    this.#link = link;
    this.#number = number;
    this.id = facts.id;
    this.leader = facts.leader;
    this.#watch = new ProcessWatch(facts.leader);
    this.device = facts.device;
    this.limits = facts.limits;
    this.#consumedOffset = fromOffset;
    this.#acknowledgedOffset = fromOffset;
    this.exited = this.#exited.promise;
    // Callers that ignore `exited` need not learn that it is unknown.
    this.exited.catch(() => undefined);
    link.register(number, this);
  }

  read(spare?: Bytes): Promise<Chunk | undefined> {
    if (this.#waiting) throw new Error("a Pty is read by one reader, one call at a time");
    if (spare) releaseBuffer(spare);
    const waiting = Promise.withResolvers<Chunk | undefined>();
    this.#waiting = waiting;
    this.#serve();
    return waiting.promise;
  }

  acknowledge(offset: number): void {
    if (offset <= this.#acknowledgedOffset || this.#loss || this.#isDisposed) return;
    const bytes = offset - this.#acknowledgedOffset;
    this.#acknowledgedOffset = offset;
    this.#link.acknowledge(this.#number, offset, bytes);
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.#requireRunning("write");
    this.#writtenBytes += bytes.byteLength;
    await this.#link.write(this.#number, bytes);
  }

  async writeIn(modes: LineModes, bytes: Uint8Array): Promise<boolean | undefined> {
    checkBytes(bytes);
    this.#requireRunning("write");
    const data = Buffer.from(bytes).toString("base64");
    try {
      const { written } = await this.#ask("writeIn", { ...modes, data });
      if (written === true) this.#writtenBytes += bytes.byteLength;
      return written === true;
    } catch (error) {
      // An older keeper cannot check the modes.
      if (error instanceof NacreError && error.code === "unsupported") return undefined;
      throw error;
    }
  }

  async endInput(): Promise<void> {
    if (!this.#isDisposed) await this.#ask("endInput");
  }

  async resize(size: Size): Promise<void> {
    const checked = checkSize(size);
    this.#requireRunning("resize");
    await this.#ask("resize", { size: checked });
  }

  async state(): Promise<PtyState> {
    this.#requireRunning("tell its state");
    const writtenBytes = this.#writtenBytes;
    const state = readPtyState(await this.#ask("state"));
    this.#queued = { bytes: state.queuedInputBytes, writtenBytes };
    return state;
  }

  /** The modes are the kernel's and readable here: asking the keeper would delay each key. */
  async inputState(byteCount: number): Promise<InputState> {
    this.#requireRunning("tell its state");
    const { bytes, writtenBytes } = this.#queued;
    const queuedInputBytes = bytes + this.#writtenBytes - writtenBytes;
    const isFew = queuedInputBytes + byteCount <= FEW_INPUT_BYTES;
    // A silent keeper would execute a write at some later time; asked first, it has to answer.
    const mayLook = isFew && this.#link.isResponsive;
    const modes = mayLook && this.device ? readDeviceModes(this.device) : undefined;
    // The device belongs to another terminal only after the program is gone.
    return modes && this.#watch.isAlive ? { ...modes, queuedInputBytes } : await this.state();
  }

  async signal(signal: NodeJS.Signals, target: SignalTarget = "foreground"): Promise<void> {
    checkSignal(signal, target);
    if (target !== "tree") this.#requireRunning("signal");
    await this.#ask("signal", { signal, target });
  }

  /** Done here: the program runs as our user on our machine. */
  lowerPriority(among: number): boolean {
    return (
      !this.#hasExited && this.#watch.isAlive && lowerAutogroupPriority(this.leader.pid, among)
    );
  }

  async kill(graceMs = DEFAULT_GRACE_MS): Promise<KillReport> {
    checkGrace(graceMs);
    if (this.#isDisposed) return { ended: 0, forced: false, survivors: [] };
    return readKillReport(await this.#ask("kill", { graceMs }));
  }

  /** An older keeper cannot tell. */
  async processes(): Promise<readonly Survivor[]> {
    if (this.#isDisposed || this.#loss) return [];
    try {
      return readProcesses(await this.#ask("processes"));
    } catch (error) {
      if (error instanceof NacreError && error.code === "unsupported") return [];
      throw error;
    }
  }

  /** Also lets the keeper forget how the program ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Whatever the keeper has now, it is not ours any more.
    if (this.#isDisposed || this.#loss) return;
    this.#isDisposed = true;
    this.#watch[Symbol.dispose]();
    await this.#ask("forget");
    // Output sent before the answer is here, and can still be read.
    this.#isAtEnd = true;
    this.#link.unregister(this.#number);
    this.#serve();
  }

  roomFor(bytes: number): Bytes {
    const isLarge = bytes >= LARGE_CHUNK_BYTES && bytes <= CHUNK_BYTES;
    this.#arriving = isLarge ? acquireBuffer().subarray(0, bytes) : new Uint8Array(bytes);
    return this.#arriving;
  }

  handleOutput(offset: number, _bytes: Uint8Array, stream?: "stderr"): void {
    const bytes = this.#arriving;
    this.#arriving = undefined;
    if (bytes) this.#chunks.push({ offset, bytes, ...(stream ? { stream } : {}) });
    this.#serve();
  }

  handleEnd(): void {
    this.#isAtEnd = true;
    this.#serve();
  }

  handleExit(exit: Fields): void {
    this.#hasExited = true;
    this.#watch[Symbol.dispose]();
    this.#exited.resolve(readExit(exit));
  }

  handleLoss(error: NacreError): void {
    this.#loss = error;
    this.#watch[Symbol.dispose]();
    this.#exited.reject(error);
    this.#serve();
  }

  #ask(call: string, fields: Fields = {}): Promise<Fields> {
    return this.#link.request({ ...fields, call, pty: this.#number }, (answer) => answer);
  }

  #requireRunning(verb: string): void {
    if (!this.#hasExited && !this.#isDisposed) return;
    throw new NacreError("terminal_exited", `cannot ${verb}: the program has ended`);
  }

  #serve(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const chunk = this.#chunks.shift();
    if (!chunk && !this.#isAtEnd && !this.#loss) return;
    this.#waiting = undefined;
    if (!chunk && !this.#isAtEnd) return waiting.reject(this.#loss);
    if (chunk) this.#noteTaken(chunk);
    waiting.resolve(chunk);
  }

  #noteTaken({ offset, bytes }: Chunk): void {
    const taken = offset + bytes.byteLength;
    if (taken - this.#consumedOffset < CONSUME_BYTES || this.#isAtEnd) return;
    this.#consumedOffset = taken;
    this.#link.consume(this.#number, taken);
  }
}

/** PTYs that live in the keeper and outlive this process. */
export function createKeeperDriver(link: KeeperLink, kind: PtyKind = "terminal"): PtyDriver {
  return {
    name: kind === "terminal" ? "keeper-pty" : "keeper-pipes",

    async spawn(asked: PtyLaunch): Promise<Pty> {
      // Checked here: a non-number would become another value on the wire.
      const { file, args, env, cwd, allowedRoots, umask, memo, limits } = asked;
      const size = checkSize(asked.size);
      const launch = { file, args, env, cwd, allowedRoots, size, umask, memo, limits };
      const pty = await link.request(
        { call: "spawn", kind, launch },
        (answer) => new KeeperPty(link, readPtyFacts(answer), 0),
        // Nobody knows of it, so nobody would ever end it.
        (late) => void late[Symbol.asyncDispose]().catch(() => undefined),
      );
      if (pty.limits) return pty;
      // An older keeper started it without limits.
      return await requireUnlimited(pty, asked);
    },

    async list(): Promise<readonly RunningPty[]> {
      const running = await link.request({ call: "list" }, readRunningPtys);
      return running.filter((one) => one.kind === kind);
    },

    async adopt(id: string, fromOffset: number): Promise<Pty> {
      return await link.request(
        { call: "adopt", id, fromOffset },
        (answer) => new KeeperPty(link, readPtyFacts(answer), fromOffset),
      );
    },
  };
}

async function requireUnlimited(pty: Pty, launch: PtyLaunch): Promise<Pty> {
  try {
    refuseLimits(launch);
    return pty;
  } catch (error) {
    await pty[Symbol.asyncDispose]();
    throw error;
  }
}
