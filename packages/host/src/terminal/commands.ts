import type { Command, CommandId } from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordedTerminal } from "../recording/recording.ts";

type CommandEntry = Extract<RecordedEntry, { type: "command" }>;
type CommandEndEntry = Extract<RecordedEntry, { type: "commandEnd" }>;

/** Commands asked for soon after they ran are at hand; older ones are read from the recording. */
const MAX_RECENT = 100;

/** How many commands a page has when nobody says. */
const DEFAULT_PAGE = 100;

/** Which commands of a recording to list. */
export interface CommandPage {
  /** Only commands that began after this sequence. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

/** The newest commands are cached, others read from the recording. */
export class Commands {
  readonly #recording: RecordedTerminal;
  readonly #recent = new Map<CommandId, Command>();
  #running: Command | undefined;
  #last: Command | undefined;

  constructor(recording: RecordedTerminal) {
    this.#recording = recording;
  }

  /** The command that began and did not end. */
  get running(): Command | undefined {
    return this.#running;
  }

  /** The command that runs, and the one that ended last. */
  get status(): {
    readonly runningCommand: Command | undefined;
    readonly lastCommand: Command | undefined;
  } {
    return { runningCommand: this.#running, lastCommand: this.#last };
  }

  /** Takes note of an entry that was recorded. */
  note(entry: RecordedEntry): void {
    if (entry.type === "command") {
      this.#running = toRunningCommand(entry);
      this.#keep(this.#running);
    } else if (entry.type === "commandEnd") {
      const command = this.#recent.get(entry.commandId);
      if (command) {
        this.#last = toEndedCommand(command, entry);
        this.#keep(this.#last);
      }
      if (this.#running?.commandId === entry.commandId) this.#running = undefined;
    }
  }

  /** The command of this name, as far as it went. */
  async find(commandId: CommandId): Promise<Command | undefined> {
    const recent = this.#recent.get(commandId);
    if (recent) return recent;
    for (let after = 0; ;) {
      const page = await this.list({ after });
      const found = page.find((command) => command.commandId === commandId);
      const last = page.at(-1);
      if (found || !last) return found;
      after = last.firstSequence;
    }
  }

  /** Commands in the order in which they began. */
  async list({ after = 0, limit = DEFAULT_PAGE }: CommandPage = {}): Promise<Command[]> {
    const commands = new Map<CommandId, Command>();
    for (let from = after; ;) {
      const entries = await this.#recording.readEntries({
        after: from,
        types: ["command", "commandEnd"],
        limit: 2 * limit,
        maxBytes: Number.MAX_SAFE_INTEGER,
      });
      for (const entry of entries) collectCommand(entry, commands, limit);
      const last = entries.at(-1);
      const isWhole = commands.size >= limit && [...commands.values()].every(isOver);
      if (!last || isWhole) return [...commands.values()];
      from = last.sequence;
    }
  }

  #keep(command: Command): void {
    this.#recent.delete(command.commandId);
    this.#recent.set(command.commandId, command);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
  }
}

const isOver = ({ lastSequence }: Command): boolean => lastSequence !== undefined;

function collectCommand(
  entry: RecordedEntry,
  commands: Map<CommandId, Command>,
  limit: number,
): void {
  if (entry.type === "command" && commands.size < limit) {
    commands.set(entry.commandId, toRunningCommand(entry));
  } else if (entry.type === "commandEnd") {
    const command = commands.get(entry.commandId);
    if (command) commands.set(entry.commandId, toEndedCommand(command, entry));
  }
}

function toRunningCommand(entry: CommandEntry): Command {
  const { commandId, terminalId, commandLine, commandLineTruncated, cwd, quality } = entry;
  return {
    commandId,
    terminalId,
    commandLine,
    ...(commandLineTruncated ? { commandLineTruncated } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    firstSequence: entry.sequence,
    startedAt: entry.occurredAt,
    quality,
  };
}

function toEndedCommand(command: Command, entry: CommandEndEntry): Command {
  const { exitCode, signal, durationMs, endedBy } = entry;
  return {
    ...command,
    lastSequence: entry.sequence,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(durationMs === undefined ? {} : { durationMs }),
    endedBy,
  };
}
