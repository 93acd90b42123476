import type { EntryTypes, TerminalId, TerminalStorage } from "@nacre/contracts";
import type { EntryQuery, Extent } from "../store/store.ts";
import type { RecordedEntry } from "./recorded-entry.ts";
import type { Recordings } from "./recordings.ts";
import type { RecordingWindow } from "./reader.ts";
import type { SavedSnapshot } from "./saved-snapshot.ts";

/** One life of an id: a recording can be deleted, and its id then be given to the terminal of somebody else. */
export type TerminalIdentity = Pick<TerminalStorage, "id" | "createdAt">;

/** The recording of one terminal, to read from; when it was deleted, `terminal_not_found`, also where its id has another one now. */
export class RecordedTerminal {
  readonly #recordings: Recordings;
  readonly #identity: TerminalIdentity;

  constructor(recordings: Recordings, { id, createdAt }: TerminalIdentity) {
    this.#recordings = recordings;
    this.#identity = { id, createdAt };
  }

  get id(): TerminalId {
    return this.#identity.id;
  }

  /** Whether recordings can be written now. */
  get state(): "ok" | "degraded" {
    return this.#recordings.state.state;
  }

  /** Entries with their data as bytes. */
  readEntries(query: Omit<EntryQuery, "terminalId">): Promise<RecordedEntry[]> {
    const { id: terminalId, createdAt } = this.#identity;
    return this.#recordings.readEntries({ ...query, terminalId }, createdAt);
  }

  /** The newest entries, however long the recording is. */
  readWindow(types?: EntryTypes): Promise<RecordingWindow> {
    return this.#recordings.readWindow(this.#identity.id, { ...this.#identity, types });
  }

  readExtent(): Promise<Extent> {
    return this.#recordings.readExtent(this.#identity.id, this.#identity.createdAt);
  }

  /** The newest saved screen at or before a sequence. */
  findSnapshot(atOrBefore: number): Promise<SavedSnapshot | undefined> {
    return this.#recordings.findSnapshot(this.#identity.id, atOrBefore, this.#identity.createdAt);
  }

  /** Saves a screen, to draw later ones from it. */
  async saveSnapshot(snapshot: SavedSnapshot): Promise<void> {
    // What was drawn of one terminal must not be kept for another.
    await this.readExtent();
    await this.#recordings.saveSnapshot(this.#identity.id, snapshot);
  }
}
