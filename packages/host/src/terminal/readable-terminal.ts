import type {
  Command,
  CommandId,
  EntryTypes,
  OutputExcerpt,
  OutputPage,
  ReadOutputInput,
  Screen,
  ScreenFormat,
  TerminalData,
  TerminalId,
  TerminalStorage,
  WaitInput,
  WaitResult,
} from "@nacre/contracts";
import type { Requester } from "../screen/past-lane.ts";
import type { CommandPage } from "./commands.ts";
import type { TerminalContent } from "./content.ts";
import type { ContentOptions } from "./read-content.ts";
import type { FeedOptions, TerminalSubscription } from "./subscription.ts";
import type { TerminalStatus } from "./terminal-data.ts";

/** What can be read of a Terminal, whether it runs here or only its recording is left. */
export interface ReadableTerminal {
  readonly id: TerminalId;
  readonly row: TerminalStorage;
  readonly lastSequence: number;
  /** What can be said of it without reading its recording. */
  readonly status: TerminalStatus;
  /** The whole terminal, as readers see it. */
  read(types?: EntryTypes, requester?: Requester): Promise<TerminalData>;
  /** What the terminal showed, in parts per command. */
  readContent(options?: ContentOptions): Promise<TerminalContent>;
  /** What the terminal shows, at its newest entry or as of a sequence. */
  readScreen(format: ScreenFormat, at?: number, requester?: Requester): Promise<Screen>;
  /** Output from a position on; waits for some when there is none and time is given. */
  readOutput(input: Omit<ReadOutputInput, "id">, signal?: AbortSignal): Promise<OutputPage>;
  listCommands(page?: CommandPage): Promise<Command[]>;
  findCommand(commandId: CommandId): Promise<Command | undefined>;
  /** What a command wrote, whole or as its beginning and its end. */
  readCommandOutput(command: Command, maxBytes?: number): Promise<OutputExcerpt>;
  /** Waits for something to happen; always with a deadline. */
  wait(input: Omit<WaitInput, "id">, requester?: Requester): Promise<WaitResult>;
  /** Follows the terminal: a snapshot, then every entry once. */
  subscribe(options?: FeedOptions): TerminalSubscription;
  /** Calls back when something may have changed. */
  onChange(listener: () => void): Disposable;
}
