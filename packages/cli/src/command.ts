/** What a command prints and how it ends. */
interface CommandResult {
  /** What `--json` prints as `result`. */
  readonly result: unknown;
  /** What people read. */
  readonly text: string;
  readonly exitCode: number;
}

/** One verb of the CLI. */
export interface Command {
  readonly name: string;
  /** What it does, in one line of the list of commands. */
  readonly summary: string;
  readonly examples: readonly string[];
  run(): Promise<CommandResult>;
}
