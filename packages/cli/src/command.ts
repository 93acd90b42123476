/** What a command prints and how it ends. */
interface CommandResult {
  /** What `--json` prints as `result`. */
  readonly result: unknown;
  /** What people read; whatever in it was said by others has gone through `safeText`. */
  readonly text: string;
  readonly exitCode: number;
  /** Whether nothing is printed, since standard output speaks a protocol. */
  readonly isSilent?: boolean;
  /** What is waited for after that was printed. */
  readonly until?: Promise<void>;
}

/** One verb of the CLI. */
export interface Command {
  readonly name: string;
  /** What it does, in one line of the list of commands. */
  readonly summary: string;
  /** What may follow its name, where anything may. */
  readonly usage?: string;
  readonly examples: readonly string[];
  /** Runs it with what followed its name, without `--json`. */
  run(args: readonly string[]): Promise<CommandResult>;
}
