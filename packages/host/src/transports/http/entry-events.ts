import {
  channelOf,
  type EntityEventsMessage,
  EntryType,
  type EntryTypes,
  kindOf,
  NacreError,
  TerminalId,
  type TerminalRecordingEntry,
  type TerminalRecordingEntryCollection,
} from "@nacre/contracts";
import { z } from "zod";

// The `Last-Event-ID` of a client: the event and, for entries of one terminal, the sequence.

export interface ResumePoint {
  /** For the bus. */
  readonly eventId?: string | undefined;
  /** For the recording. */
  readonly sequence?: number | undefined;
}

const ENTRY_APPENDED = "recordingEntry.appended";

const RESUME_ID = /^([^@]*)(?:@(0|[1-9][0-9]{0,14}))?$/;

/** Only entries have a sequence. */
const formatResumeId = (eventId: string, sequence?: number): string =>
  sequence === undefined ? eventId : `${eventId}@${sequence}`;

/** `@<sequence>` alone asks for what follows that entry. */
export function parseResumeId(text: string): ResumePoint {
  const [, eventId, sequence] = RESUME_ID.exec(text) ?? [undefined, text];
  return {
    eventId: eventId || undefined,
    sequence: sequence === undefined ? undefined : Number(sequence),
  };
}

/** The one terminal whose entries are all that these channels carry; its recording can replace lost events. */
export function findSoleRecording(channels: readonly string[]): TerminalId | undefined {
  const [first] = channels;
  if (first === undefined || channels.some((channel) => channel !== first)) return undefined;
  const id = TerminalId.safeParse(first.slice(0, -ENTRY_APPENDED.length - 1));
  return id.success && first === channelOf(id.data, ENTRY_APPENDED) ? id.data : undefined;
}

export interface EntryEventsOptions {
  readonly terminalId: TerminalId;
  /** From now on or from after an event. */
  readonly live: AsyncIterable<EntityEventsMessage>;
  /** The entry heard last. */
  readonly after?: number | undefined;
  /** The live events do not start after that entry. */
  readonly beginsWithRecording: boolean;
  /** Absent: all types. */
  readonly types?: EntryTypes | undefined;
  find(after: number): Promise<TerminalRecordingEntryCollection>;
}

/** With its `Last-Event-ID`. */
export interface ResumableMessage {
  readonly message: EntityEventsMessage;
  readonly id?: string | undefined;
}

/** What the position needs. */
const SequencedEntry = z.looseObject({ sequence: z.int().min(1), type: EntryType });

/**
 * Entry events of one terminal without a hole: what the bus forgot comes from the recording; only what that does not
 * have either is a `resync`.
 */
export class EntryEvents implements AsyncIterable<ResumableMessage> {
  readonly #options: EntryEventsOptions;
  /** Undefined until there is one. */
  #last: number | undefined;

  constructor(options: EntryEventsOptions) {
    this.#options = options;
    this.#last = options.after;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ResumableMessage, undefined> {
    if (this.#options.beginsWithRecording) yield* this.#replay();
    for await (const message of this.#options.live) {
      if (message.type === "resync") {
        if (this.#last === undefined) yield { message };
        else yield* this.#replay();
      } else {
        yield* this.#deliver(message);
      }
    }
    return undefined;
  }

  async *#deliver(
    message: EntityEventsMessage & { type: "event" },
  ): AsyncGenerator<ResumableMessage> {
    const { sequence, type } = SequencedEntry.parse(message.event.payload);
    if (this.#last !== undefined && sequence > this.#last + 1) yield* this.#replay();
    if (this.#last !== undefined && sequence <= this.#last) return;
    this.#last = sequence;
    if (this.#isWanted(type))
      yield { message, id: formatResumeId(message.event.eventId, sequence) };
  }

  async *#replay(): AsyncGenerator<ResumableMessage> {
    for (;;) {
      const page = await this.#find();
      if (page === undefined) {
        yield { message: { type: "resync", reason: "there is no such recording any more" } };
        return;
      }
      for (const entry of page.entries) {
        if (entry.sequence !== (this.#last ?? 0) + 1) {
          yield { message: { type: "resync", reason: "older entries are not kept any more" } };
        }
        this.#last = entry.sequence;
        if (this.#isWanted(entry.type)) yield this.#makeMessage(entry);
      }
      if (!page.truncated) return;
    }
  }

  #isWanted(type: EntryType): boolean {
    return this.#options.types?.includes(type) ?? true;
  }

  async #find(): Promise<TerminalRecordingEntryCollection | undefined> {
    try {
      return await this.#options.find(this.#last ?? 0);
    } catch (error) {
      if (error instanceof NacreError && NOT_FOUND.has(error.code)) return undefined;
      throw error;
    }
  }

  #makeMessage(entry: TerminalRecordingEntry): ResumableMessage {
    const { terminalId } = this.#options;
    const eventId = `recorded-${entry.sequence}`;
    const event = {
      eventId,
      entityId: terminalId,
      channel: channelOf(terminalId, ENTRY_APPENDED),
      eventName: ENTRY_APPENDED,
      kind: kindOf("Terminal", ENTRY_APPENDED),
      occurredAt: entry.occurredAt,
      payload: entry,
    };
    return { message: { type: "event", event }, id: formatResumeId(eventId, entry.sequence) };
  }
}

const NOT_FOUND: ReadonlySet<string> = new Set(["terminal_not_found", "recording_not_found"]);
