import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { constants } from "node:os";
import type { Size } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { SIGNAL_BASE } from "./ending-codes.ts";

// What programs change in a terminal, and the sequences that take it back.

const off = (modes: readonly number[]): string => modes.map((mode) => `\x1b[?${mode}l`).join("");

/** Mouse, focus, paste, cursor keys, reverse wrap, and updates held back. */
const INPUT_MODES = off([1, 45, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026]);

/** Keys as they were: the keypad, and what some programs ask of modern keyboards. */
const KEYS = "\x1b>\x1b[>4;0m\x1b[<9u\x1b[=0u";

/** Letters as they were: pen, character sets, insertion, wrapping, the whole screen scrolls, and a cursor as usual. */
const WRITING = "\x1b[0m\x1b(B\x1b)B\x0f\x1b[4l\x1b[20l\x1b[?7h\x1b[?12l\x1b[?25h\x1b[0 q";

/** Takes back whatever a program set, without moving the cursor. */
export const RESET_MODES = `${INPUT_MODES}${KEYS}${WRITING}`;

/** Keeps the title of the window, and brings it back. */
export const KEEP_TITLE = "\x1b[22;2t";
const BRING_TITLE_BACK = "\x1b[23;2t";

/** The margins, and rows that are counted from them; taking either back moves the cursor to the top. */
const RESET_MARGINS = "\x1b[?6l\x1b[r";

/** Gives a terminal back at the bottom, below whatever is there; leaves the alternate screen where that is shown. */
const LEAVE_AT_BOTTOM = `\x1b[?1047l${RESET_MARGINS}\x1b[9999;1H\r\n${BRING_TITLE_BACK}`;

/** Gives a terminal back below the cursor of the program; only for rows that are not counted from margins, since the cursor keeps how they are. */
const LEAVE_BELOW_CURSOR = `\x1b7\x1b[r\x1b8\r\n\x1b[J${BRING_TITLE_BACK}`;

/** Gives a terminal back without knowing what it shows. */
const RESTORE_SCREEN = `${RESET_MODES}${LEAVE_AT_BOTTOM}`;

/** Moves everything on a screen of so many rows up into the scrollback, and begins at its top. */
export const scrollScreenUp = (rows: number): string => `\x1b[${rows};1H${"\n".repeat(rows)}\x1b[H`;

/** Begins with an empty screen. */
export const CLEAR = `${RESET_MARGINS}\x1b[H\x1b[2J`;

/**
 * Waits for the end of the pipe that it is told by. When that comes while the terminal is in use, its user was killed
 * and could not clean up. Line modes are only taken back where nobody has changed them since, as a shell may have.
 */
const SCRIPT = `
saved=$(stty -g <&3) || exit
raw=
echo ready
while read -r word; do
  case $word in
    on) raw=$(stty -g <&3); echo on ;;
    off) raw= ;;
    done) exit ;;
  esac
done
[ -n "$raw" ] || exit
printf '%b' "$1" >&3
[ "$(stty -g <&3)" != "$raw" ] || stty "$saved" <&3
`;

/** What the guardian says on the terminal of its user, whose screen it has just restored. */
const NOTE = "nacre was killed; your terminal is as before.\\r\\n";

/** A process that restores a terminal when this one is killed in a way that it cannot notice. */
class Guardian implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts to guard the terminal behind a file descriptor; nothing where that cannot be. */
  static async start(fd: number): Promise<Guardian | undefined> {
    // In a session of its own no signal for this process, its group or its terminal ends it.
    const child = spawn(
      "/bin/sh",
      ["-c", SCRIPT, "nacre-guardian", shellText(RESTORE_SCREEN) + NOTE],
      {
        detached: true,
        cwd: "/",
        stdio: ["pipe", "pipe", "ignore", fd],
      },
    );
    child.on("error", () => undefined);
    child.stdin?.on("error", () => undefined);
    const guardian = new Guardian(child);
    if (await guardian.#answer()) return guardian;
    return undefined;
  }

  /** The terminal is in use from now on; the modes that it has now are ours. */
  async arm(): Promise<void> {
    this.#tell("on");
    await this.#answer();
  }

  /** The terminal was given back. */
  disarm(): void {
    this.#tell("off");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#tell("done");
    this.#child.stdin?.end();
    await ended;
  }

  #tell(word: string): void {
    this.#child.stdin?.write(`${word}\n`);
  }

  async #answer(): Promise<boolean> {
    const { stdout } = this.#child;
    if (!stdout) return false;
    const ended = once(this.#child, "close").then(() => false);
    const said = once(stdout, "data").then(() => true);
    return Promise.race([said, ended]).catch(() => false);
  }
}

/** A text as `printf %b` reads it. */
const shellText = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("\x1b", "\\033")
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n");

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
  override readonly name = "HangupError";
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

  /** Aborts with a `HangupError` when a signal or the end of the input says that nobody is there any more. */
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
  throw new NacreError(
    "invalid_argument",
    "this needs a terminal: standard input or output is not one",
    {
      suggestion: "Run it in a terminal; `nacre screen` and `nacre logs` need none.",
    },
  );
}
