import { writeSync } from "node:fs";
import { constants } from "node:os";
import type { Size } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { SIGNAL_BASE } from "./ending-codes.ts";
import { Guardian } from "./guardian.ts";
import { LEAVE_AT_BOTTOM, LEAVE_BELOW_CURSOR, RESET_MODES } from "./terminal-modes.ts";

/** What ends a program in a terminal, unless it says otherwise. */
const ENDING_SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

/** What a verb that takes over the terminal of its user is told. */
export interface TerminalUse {
  handleInput(bytes: Uint8Array): void;
  handleResize(): void;
  /** The terminal is in use again after this process was stopped; its screen shows something else. */
  handleResume(): void;
  /** Whether the place of the cursor means nothing to the user, as on the alternate screen. */
  leavesAtBottom(): boolean;
}

/** That a signal, or the end of the input, ends the use of a terminal. */
export class HangupError extends Error {
  override readonly name = "TerminalLeft";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The terminal in which the CLI runs, as a screen and a keyboard for something else; given back as it was, however this ends. */
export class UserTerminal implements AsyncDisposable {
  readonly #input = process.stdin;
  readonly #output = process.stdout;
  readonly #use: TerminalUse;
  readonly #guardian: Guardian | undefined;
  readonly #left = new AbortController();
  readonly #undo = new DisposableStack();
  #isTaken = false;

  private constructor(use: TerminalUse, guardian: Guardian | undefined) {
    this.#use = use;
    this.#guardian = guardian;
  }

  /** Takes the terminal of this process; throws `invalid_argument` where there is none. */
  static async take(use: TerminalUse): Promise<UserTerminal> {
    requireTerminal();
    const terminal = new UserTerminal(use, await Guardian.start(process.stdout.fd));
    terminal.#listen();
    await terminal.#take();
    return terminal;
  }

  /** Aborts with a `TerminalLeft` when a signal or the end of the input says that nobody is there any more. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get size(): Size {
    return terminalSize();
  }

  /** Resolves when the terminal took it. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      // Who reads the terminal may be gone; the end of its input says so as well.
      this.#output.write(data, () => resolve());
    });
  }

  /** Gives the terminal back; what is said afterwards stands below what was shown. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#giveBack();
    this.#undo.dispose();
    await this.#guardian?.[Symbol.asyncDispose]();
  }

  async #take(): Promise<void> {
    this.#input.setRawMode(true);
    this.#input.resume();
    this.#isTaken = true;
    await this.#guardian?.arm();
  }

  /** Synchronous, since a process that ends does nothing else any more. */
  #giveBack(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    const leave = this.#use.leavesAtBottom() ? LEAVE_AT_BOTTOM : LEAVE_BELOW_CURSOR;
    try {
      writeSync(this.#output.fd, RESET_MODES + leave);
      this.#input.setRawMode(false);
    } catch {
      // The terminal itself is gone, and with it what there was to restore.
    }
    this.#input.pause();
    this.#guardian?.disarm();
  }

  #listen(): void {
    this.#on(this.#input, "data", (bytes: Uint8Array) => this.#use.handleInput(bytes));
    this.#on(this.#input, "end", () => this.#leave("the input ended", SIGNAL_BASE + 1));
    this.#on(this.#input, "error", () => this.#leave("the terminal is gone", SIGNAL_BASE + 1));
    this.#on(this.#output, "resize", () => this.#use.handleResize());
    this.#on(this.#output, "error", () => this.#leave("the terminal is gone", SIGNAL_BASE + 1));
    for (const signal of ENDING_SIGNALS) {
      const code = SIGNAL_BASE + constants.signals[signal];
      this.#on(process, signal, () => this.#leave(`ended by ${signal}`, code));
    }
    this.#on(process, "SIGTSTP", () => this.#stop());
    this.#on(process, "SIGCONT", () => void this.#goOn());
    this.#on(process, "exit", () => this.#giveBack());
  }

  #on(emitter: NodeJS.EventEmitter, event: string, listener: (bytes: Uint8Array) => void): void {
    emitter.on(event, listener);
    this.#undo.defer(() => emitter.off(event, listener));
  }

  #leave(why: string, exitCode: number): void {
    this.#left.abort(new HangupError(why, exitCode));
  }

  #stop(): void {
    this.#giveBack();
    process.kill(process.pid, "SIGSTOP");
  }

  async #goOn(): Promise<void> {
    if (this.#isTaken || this.#left.signal.aborted) return;
    await this.#take();
    this.#use.handleResize();
    this.#use.handleResume();
  }
}

/** The size of the terminal in which this runs. */
export const terminalSize = (): Size => ({
  cols: process.stdout.columns || 80,
  rows: process.stdout.rows || 24,
});

/** Refuses to go on where keys cannot be read or a screen cannot be drawn. */
export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new NacreError("invalid_argument", "this needs a terminal, and there is none", {
    suggestion: "Run it in a terminal; `nacre screen` and `nacre logs` need none.",
  });
}
