// A program on a pseudo-terminal that no kernel has: a shell that runs lines, behind a line discipline.
import { NacreError, type Size } from "@nacre/contracts";
import {
  type Chunk,
  type KillReport,
  MAX_QUEUED_INPUT_BYTES,
  type Pty,
  type PtyExit,
  type PtyLaunch,
  type PtyState,
} from "../../packages/host/src/pty/pty.ts";
import { MarkerNonces } from "../../packages/host/src/shell/marker-nonces.ts";
import type { Scheduler, SimProcess } from "./scheduler.ts";
import { WrittenBytes } from "./written-bytes.ts";

/** The kernel takes no more of a line than this; the rest of it is dropped. */
const MAX_LINE_BYTES = 4095;

/** Longer lines are not run. */
const MAX_TOLD_BYTES = 1000;

/** The most that one read gives. */
const MAX_READ_BYTES = 4095;

const [INTERRUPT, END_OF_INPUT, NEW_LINE, RETURN] = [3, 4, 10, 13];

/** What a program is started in. */
export interface ProgramSetting {
  readonly scheduler: Scheduler;
  readonly owner: SimProcess;
  /** The secret of its markers; undefined for a program that sends none. */
  readonly secret: string | undefined;
  /** Whether the driver refuses input now, as when its queue is full. */
  refuses(): boolean;
  /** A whole line reached the program. */
  handleLine(program: FakeProgram, line: string, isSecret: boolean): void;
  /** Something that a run should come across at times. */
  readonly note: (what: "canonicalLimit" | "partialRead" | "stuckInput") => void;
}

/** A command as the program ran it. */
export interface RanCommand {
  readonly line: string;
  exitCode: number | undefined;
}

/** One program with everything it ever wrote. */
export class FakeProgram implements Pty {
  readonly id: string;
  readonly leader = { pid: 0, startTicks: 0 };
  readonly exited: Promise<PtyExit>;
  readonly launch: PtyLaunch;
  readonly written = new WrittenBytes();
  readonly commands: RanCommand[] = [];
  /** Present once it ended. */
  end: PtyExit | undefined;
  size: Size;
  /** Does not take its input. */
  isStuck = false;
  /** Only SIGKILL ends it. */
  ignoresTerm = false;
  /** Another program that has the terminal open, and may outlive this one. */
  hasBackground = false;
  readonly #setting: ProgramSetting;
  readonly #codes: MarkerNonces | undefined;
  readonly #exited = Promise.withResolvers<PtyExit>();
  readonly #input: number[] = [];
  #line: number[] = [];
  #echo = true;
  #isTaking = false;
  #isServing = false;
  #readBytes = 0;
  #waiting: ((chunk: Chunk | undefined) => void) | undefined;

  constructor(id: string, launch: PtyLaunch, setting: ProgramSetting) {
    this.id = id;
    this.launch = launch;
    this.size = launch.size;
    this.#setting = setting;
    this.#codes = setting.secret === undefined ? undefined : new MarkerNonces(setting.secret);
    this.exited = this.#exited.promise;
    this.#after(setting.scheduler.between(0, 5), () => this.#prompt());
  }

  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  get isAskingSecret(): boolean {
    return !this.#echo;
  }

  /** Writes something by itself. */
  print(text: string | Uint8Array): void {
    if (this.hasEnded && !this.hasBackground) return;
    this.written.add(typeof text === "string" ? Buffer.from(text, "latin1") : text);
    this.#serve();
  }

  /** Asks for a line without showing it. */
  askSecret(): void {
    if (this.hasEnded) return;
    this.print("Password: ");
    this.#echo = false;
  }

  /** Ends by itself. */
  exit(exitCode: number): void {
    this.#end({ exitCode });
  }

  /** What holds the terminal open lets go. */
  endBackground(): void {
    this.hasBackground = false;
    this.#serve();
  }

  /** Goes on with the input that waits. */
  unstick(): void {
    this.isStuck = false;
    this.#takeSoon();
  }

  read(): Promise<Chunk | undefined> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#requireRunning();
    if (this.#input.length + bytes.byteLength > MAX_QUEUED_INPUT_BYTES || this.#setting.refuses()) {
      throw new NacreError("input_queue_full", `${this.#input.length} bytes of input wait`);
    }
    for (const byte of bytes) this.#input.push(byte);
    if (this.isStuck) this.#setting.note("stuckInput");
    this.#takeSoon();
  }

  async resize(size: Size): Promise<void> {
    this.#requireRunning();
    this.size = size;
  }

  async state(): Promise<PtyState> {
    this.#requireRunning();
    const queuedInputBytes = this.#input.length;
    return { size: this.size, queuedInputBytes, echo: this.#echo, canonical: true };
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#requireRunning();
    if (signal === "SIGINT") this.#interrupt();
    else this.#end({ signal });
  }

  kill(graceMs = 1000): Promise<KillReport> {
    const isAlive = !this.hasEnded || this.hasBackground;
    const forced = isAlive && this.ignoresTerm;
    const { scheduler } = this.#setting;
    return new Promise((resolve) => {
      this.#after(scheduler.between(1, 5) + (forced ? graceMs : 0), () => {
        this.#end({ signal: forced ? "SIGKILL" : "SIGTERM" });
        this.endBackground();
        resolve({ ended: isAlive ? 1 : 0, forced, survivors: [] });
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill(0);
  }

  #after(delayMs: number, run: () => void): void {
    this.#setting.scheduler.after(delayMs, run, this.#setting.owner);
  }

  #requireRunning(): void {
    if (this.hasEnded) throw new NacreError("terminal_exited", "the program has ended");
  }

  #end(how: Pick<PtyExit, "exitCode" | "signal">): void {
    if (this.end) return;
    const { scheduler } = this.#setting;
    const end = { ...how, outputBytes: this.written.length, drained: !this.hasBackground };
    this.end = end;
    this.#input.length = 0;
    this.#after(scheduler.between(0, 10), () => this.#exited.resolve(end));
    this.#serve();
  }

  /** Hands over what there is, in pieces as a kernel does. */
  #serve(): void {
    if (!this.#waiting || this.#isServing) return;
    const rest = this.written.length - this.#readBytes;
    if (rest === 0 && (!this.hasEnded || this.hasBackground)) return;
    this.#isServing = true;
    this.#after(this.#setting.scheduler.random() * 2, () => {
      this.#isServing = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    const rest = this.written.length - this.#readBytes;
    const resolve = this.#waiting;
    this.#waiting = undefined;
    if (rest === 0) return resolve?.(undefined);
    const { scheduler, note } = this.#setting;
    const isWhole = rest <= MAX_READ_BYTES && scheduler.chance(0.7);
    const count = isWhole ? rest : scheduler.between(1, Math.min(rest, MAX_READ_BYTES));
    if (count < rest) note("partialRead");
    const offset = this.#readBytes;
    this.#readBytes += count;
    resolve?.({ offset, bytes: this.written.slice(offset, this.#readBytes) });
  }

  #takeSoon(): void {
    if (this.#isTaking || this.isStuck) return;
    this.#isTaking = true;
    this.#after(this.#setting.scheduler.random(), () => {
      this.#isTaking = false;
      this.#takeInput();
    });
  }

  /** The line discipline. */
  #takeInput(): void {
    let echoed = "";
    while (this.#input.length > 0 && !this.isStuck && !this.hasEnded) {
      const byte = this.#input.shift()!;
      if (byte === RETURN || byte === NEW_LINE) {
        // A line that is not shown still ends with a new one.
        this.print(`${echoed}\r\n`);
        echoed = "";
        this.#takeLine();
      } else if (byte === INTERRUPT) this.#interrupt();
      else if (byte === END_OF_INPUT && this.#line.length === 0) this.exit(0);
      else if (this.#line.length >= MAX_LINE_BYTES) this.#setting.note("canonicalLimit");
      else {
        this.#line.push(byte);
        if (this.#echo) echoed += String.fromCharCode(byte);
      }
    }
    if (echoed) this.print(echoed);
  }

  #interrupt(): void {
    this.#line = [];
    this.#echo = true;
    this.print("^C\r\n");
    this.#prompt();
  }

  #takeLine(): void {
    const line = Buffer.from(this.#line).toString("latin1");
    this.#line = [];
    const isSecret = !this.#echo;
    this.#echo = true;
    this.#setting.handleLine(this, line, isSecret);
    if (!isSecret) this.#run(line);
  }

  /** Runs a line: it prints something, and ends with a code that depends on it. */
  #run(line: string): void {
    if (line === "") return this.#prompt();
    // A marker holds no line as long as that, so the shell does not tell of it.
    if (line.length > MAX_TOLD_BYTES) return this.#reject();
    const command: RanCommand = { line, exitCode: line.length % 3 };
    this.commands.push(command);
    this.#mark(`E;${line}`);
    this.#mark("C");
    this.print(`did ${line}\r\n`);
    this.#mark(`D;${command.exitCode}`);
    this.#prompt();
  }

  #reject(): void {
    this.print("too long\r\n");
    this.#prompt();
  }

  #prompt(): void {
    this.#mark("A");
    this.print("$ ");
    this.#mark("B");
  }

  #mark(marker: string): void {
    if (this.#codes) this.print(`\u001b]633;${marker};nacre=${this.#codes.next()}\u0007`);
  }
}
