// A terminal that no longer runs in this host, as its recording tells it.
import {
  type EntryOf,
  type EntryType,
  NacreError,
  type TerminalId,
  type TerminalStorage,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import { HOST_CLAIM } from "../claim/claim-rules.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import { Commands } from "./commands.ts";
import { ScreenHistory } from "./screen-history.ts";
import { type FeedOptions, TerminalSubscription } from "./subscription.ts";
import { pickExitStatus, type TerminalStatus } from "./terminal-data.ts";
import type { TerminalDeps } from "./terminal-init.ts";
import { TerminalReader } from "./terminal-reader.ts";
import { waitFor } from "./wait.ts";

/** A Terminal that no longer runs here, read from its recording alone; without an exit in it, nobody saw the program end. */
export class EndedTerminal {
  readonly status: TerminalStatus;
  readonly lastSequence: number;
  readonly reader: TerminalReader;
  readonly commands: Commands;
  readonly isOver = true;
  readonly waitStatus = {};

  private constructor(status: TerminalStatus, lastSequence: number, history: ScreenHistory) {
    this.status = status;
    this.lastSequence = lastSequence;
    this.reader = new TerminalReader(this, history);
    this.commands = new Commands(history.recording);
  }

  /** Opens the recording of a terminal, or `terminal_not_found`. */
  static async open(
    id: TerminalId,
    { recordings, screens }: Pick<TerminalDeps, "recordings" | "screens">,
  ): Promise<EndedTerminal> {
    const status = await readStatus(id, recordings);
    const recording = recordings.forTerminal(status.row);
    const { lastSequence } = await recording.readExtent();
    return new EndedTerminal(status, lastSequence, new ScreenHistory(recording, screens));
  }

  get id(): TerminalId {
    return this.row.id;
  }

  get row(): TerminalStorage {
    return this.status.row;
  }

  /** As of a live one: all that is there is looked at, and nothing more comes. */
  wait(input: Omit<WaitInput, "id">, requester?: DrawRequester): Promise<WaitResult> {
    return waitFor(this, input, requester);
  }

  subscribe(options: FeedOptions = {}): TerminalSubscription {
    return new TerminalSubscription(this.reader, options, {});
  }

  /** Nothing about it changes any more. */
  onChange(_listener: () => void): Disposable {
    return { [Symbol.dispose]: () => undefined };
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
