// A terminal that no longer runs in this host, as its recording tells it.
import {
  type Command,
  type CommandId,
  type EntryOf,
  type EntryType,
  type EntryTypes,
  NacreError,
  type OutputExcerpt,
  type OutputPage,
  type ReadOutputInput,
  type Screen,
  type ScreenFormat,
  type TerminalData,
  type TerminalId,
  type TerminalStorage,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import { HOST_CLAIM } from "../claim/claim-rules.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordedTerminal } from "../recording/recording.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import { type CommandPage, Commands } from "./commands.ts";
import type { TerminalContent } from "./content.ts";
import type { ContentOptions } from "./read-content.ts";
import { ScreenHistory } from "./screen-history.ts";
import { type FeedOptions, TerminalSubscription } from "./subscription.ts";
import { pickExitStatus, type TerminalStatus } from "./terminal-data.ts";
import { type ReadableTerminal, type ReadSource, TerminalReader } from "./terminal-reader.ts";
import { type Waitable, waitFor } from "./wait.ts";

export interface EndedTerminalDeps {
  readonly recordings: Recordings;
  readonly screens: Screens;
}

interface EndedTerminalInit extends EndedTerminalDeps {
  readonly status: TerminalStatus;
  readonly lastSequence: number;
}

/** A Terminal that no longer runs here, read from its recording alone; without an exit in it, nobody saw the program end. */
export class EndedTerminal implements ReadableTerminal, Waitable, ReadSource {
  readonly status: TerminalStatus;
  readonly lastSequence: number;
  readonly isOver = true;
  readonly waitStatus = {};
  readonly recording: RecordedTerminal;
  readonly screens: Screens;
  readonly history: ScreenHistory;
  readonly #reader: TerminalReader;
  readonly #commands: Commands;

  private constructor({ status, lastSequence, recordings, screens }: EndedTerminalInit) {
    this.status = status;
    this.lastSequence = lastSequence;
    this.recording = recordings.forTerminal(status.row);
    this.screens = screens;
    this.history = new ScreenHistory(this.recording);
    this.#reader = new TerminalReader(this);
    this.#commands = new Commands(this.recording);
  }

  /** Opens the recording of a terminal, or `terminal_not_found`. */
  static async open(id: TerminalId, deps: EndedTerminalDeps): Promise<EndedTerminal> {
    const status = await readStatus(id, deps.recordings);
    const { lastSequence } = await deps.recordings.forTerminal(status.row).readExtent();
    return new EndedTerminal({ ...deps, status, lastSequence });
  }

  get id(): TerminalId {
    return this.row.id;
  }

  get row(): TerminalStorage {
    return this.status.row;
  }

  read(types?: EntryTypes, requester?: DrawRequester): Promise<TerminalData> {
    return this.#reader.read(types, requester);
  }

  async readScreen(format: ScreenFormat, at?: number, requester?: DrawRequester): Promise<Screen> {
    if (this.lastSequence > 0) return await this.#reader.readScreen(format, at, requester);
    throw new NacreError("recording_not_found", `${this.id} has no entries to draw a screen from`);
  }

  readContent(options?: ContentOptions): Promise<TerminalContent> {
    return this.#reader.readContent(options);
  }

  readOutput(input: Omit<ReadOutputInput, "id">, signal?: AbortSignal): Promise<OutputPage> {
    // Without an exit it looks as if more could come; nobody waits for that.
    return this.#reader.readOutput({ ...input, waitMs: 0 }, { terminal: this, signal });
  }

  listCommands(page?: CommandPage): Promise<Command[]> {
    return this.#commands.list(page);
  }

  findCommand(commandId: CommandId): Promise<Command | undefined> {
    return this.#commands.find(commandId);
  }

  readCommandOutput(command: Command, maxBytes?: number): Promise<OutputExcerpt> {
    return this.#reader.readCommandOutput(command, maxBytes);
  }

  wait(input: Omit<WaitInput, "id">, requester?: DrawRequester): Promise<WaitResult> {
    return waitFor(this, input, requester);
  }

  subscribe(options: FeedOptions = {}): TerminalSubscription {
    return new TerminalSubscription(this.#reader, options, {});
  }

  onChange(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  pictureSoon(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture> {
    return this.picture(format, requester);
  }

  /** What it showed last; nothing when it has no entries. */
  async picture(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture> {
    const at = { sequence: this.lastSequence, format, requester };
    return await this.history.lastPicture(this.screens, at);
  }
}

/** What a recording tells of a terminal that does not run here. */
export async function readStatus(id: TerminalId, recordings: Recordings): Promise<TerminalStatus> {
  const row = await recordings.readTerminal(id);
  if (!row)
    throw new NacreError("terminal_not_found", `no terminal has the id ${id}`, { field: "id" });
  const recording = recordings.forTerminal(row);
  const newest = async <Type extends EntryType>(type: Type): Promise<EntryOf<Type> | undefined> => {
    const [entry] = await recording.readEntries({
      before: Number.MAX_SAFE_INTEGER,
      types: [type],
      limit: 1,
      maxBytes: 1,
    });
    return isOfType(entry, type) ? entry : undefined;
  };
  const [exit, claim, title, cwd, resize, header] = await Promise.all([
    newest("exit"),
    newest("claim"),
    newest("title"),
    newest("cwd"),
    newest("resize"),
    newest("header"),
  ]);
  const size = resize ?? header;
  return {
    row,
    state: exit && exit.lostReason === undefined ? "exited" : "lost",
    lostReason: exit?.lostReason,
    claim: claim
      ? { claim: claim.claim, epoch: claim.epoch, since: claim.occurredAt }
      : { claim: HOST_CLAIM, epoch: 1, since: row.createdAt },
    exit: exit && exit.lostReason === undefined ? pickExitStatus(exit) : undefined,
    title: title?.title,
    cwd: cwd?.cwd,
    cwdFallback: header?.cwdFallback,
    size: size ? { cols: size.cols, rows: size.rows } : undefined,
    commandDetection: "none",
    inputPolicy: "open",
    controlRequests: [],
    inputRequests: [],
    lapsedRequests: [],
    viewers: 0,
  };
}

function isOfType<Type extends EntryType>(
  entry: RecordedEntry | undefined,
  type: Type,
): entry is Extract<RecordedEntry, { type: Type }> & EntryOf<Type> {
  return entry?.type === type;
}
