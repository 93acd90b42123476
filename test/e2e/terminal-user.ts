import type { Size, TerminalId } from "@nacre/contracts";

/** What the terminal of a story is created from; the shell is that of the host. */
export interface Launch {
  readonly name: string;
  readonly cwd: string;
  readonly size: Size;
  readonly env: Readonly<Record<string, string>>;
}

/** What became of a command line. */
export interface Ran {
  /** What it wrote, with ends of lines as the transport has them. */
  readonly output: string;
  /** Its exit code; null while it runs. */
  readonly exitCode: number | null;
  /** What it waits for somebody to type, if it does. */
  readonly inputNeeded?: string | undefined;
}

/** Somebody who uses one terminal over one transport, by that transport's own words. */
export interface TerminalUser extends AsyncDisposable {
  /** Creates the terminal that everything else is about. */
  create(launch: Launch): Promise<TerminalId>;
  /** Runs a command line in the shell, until it has ended or asks for input. */
  run(commandLine: string): Promise<Ran>;
  /** Resolves when the shell shows its prompt. */
  untilPrompt(): Promise<void>;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Resolves when the program wrote this after the last line that was typed. */
  untilText(text: string): Promise<void>;
  /** Resolves with the exit code of the command that was typed, or typed into, last. */
  untilCommandEnd(): Promise<number | null>;
  /** Gives the terminal a size; resolves with the one it has. */
  resize(size: Size): Promise<Size>;
  /** Sends a signal to the program in the foreground, whose number is in `PID_FILE`. */
  signal(signal: "SIGTERM"): Promise<void>;
  /** Resolves with the exit code of the shell once it has ended. */
  untilExit(): Promise<number | null>;
  /** Reads everything that was written, after the end. */
  readAll(): Promise<string>;
}

/** Where a program of the story writes its number, for who can send signals only by its number. */
export const PID_FILE = "program.pid";
