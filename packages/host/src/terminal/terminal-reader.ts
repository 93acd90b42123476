import {
  type Command,
  type CommandId,
  DEFAULT_EXCERPT_BYTES,
  type EntryTypes,
  MAX_OUTPUT_BYTES,
  NacreError,
  type OutputExcerpt,
  type OutputPage,
  type ReadOutputInput,
  type Screen,
  type ScreenFormat,
  type TerminalData,
  type TerminalId,
  type TerminalRecordingEntry,
  type TerminalStorage,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import type { RecordingWindow } from "../recording/recording-reader.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordedTerminal } from "../recording/recording.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import { EntryViews, type EntryWithViews } from "./appender.ts";
import type { CommandPage } from "./commands.ts";
import type { TerminalContent } from "./content.ts";
import { Excerpt } from "./excerpt.ts";
import { type ContentOptions, readContent } from "./read-content.ts";
import { readOutput } from "./read-output.ts";
import type { ScreenHistory } from "./screen-history.ts";
import type { FeedOptions, FeedSource, TerminalSubscription } from "./subscription.ts";
import { buildTerminalData, displayTitle, type TerminalStatus } from "./terminal-data.ts";

/** A terminal that can be followed, and until when somebody waits for it. */
interface FollowedTerminal {
  readonly terminal: { subscribe(options: FeedOptions): TerminalSubscription };
  readonly signal?: AbortSignal | undefined;
}

/** A page of entries is bounded by its bytes; this bounds it when they are small. */
const PAGE_ENTRIES = 1000;

/** What can be read of a Terminal, live or ended. */
export interface ReadSource {
  readonly recording: RecordedTerminal;
  readonly screens: Screens;
  readonly history: ScreenHistory;
  readonly status: TerminalStatus;
  /** The newest entry that was told of. */
  readonly lastSequence: number;
  /** Whether no entry can follow any more. */
  readonly isOver: boolean;
  /** What the terminal shows now; a requester waits for what its recording says, once it has ended. */
  picture(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture>;
  /** What is drawn of it by now, which may lack the newest entries; nothing where no screen is kept up to date. */
  glance?(format: ScreenFormat): Promise<ScreenPicture> | undefined;
  /** The same, or what is drawn by then where a flood is drawn later than anybody waits; its sequence says which. */
  pictureSoon(format: ScreenFormat, requester?: DrawRequester): Promise<ScreenPicture>;
}

/** Reads everything there is to read of a Terminal: from its recording and its screen. */
export class TerminalReader implements FeedSource {
  readonly #source: ReadSource;

  constructor(source: ReadSource) {
    this.#source = source;
  }

  get lastSequence(): number {
    return this.#source.lastSequence;
  }

  get isOver(): boolean {
    return this.#source.isOver;
  }

  /** The terminal as readers see it: status, newest entries and screen. */
  async read(types?: EntryTypes, requester?: DrawRequester): Promise<TerminalData> {
    const { recording } = this.#source;
    const [{ entries, extent }, picture] = await Promise.all([
      recording.readWindow(types),
      // What is told last of a terminal has to be what it shows last, however far drawing is behind.
      this.#source.picture("ansi", requester),
    ]);
    const { firstSequence, lastSequence } = extent;
    const total = lastSequence - firstSequence + 1;
    return buildTerminalData(this.#source.status, {
      entries,
      isWindowFull: await this.#leavesOut(entries, extent, types),
      extent: { firstSequence, lastSequence, total, state: recording.state },
      picture,
    });
  }

  /** What the terminal shows, now or as of a sequence. */
  async readScreen(format: ScreenFormat, at?: number, requester?: DrawRequester): Promise<Screen> {
    if (at !== undefined && at < 1) {
      throw new NacreError("invalid_argument", `at: entries begin with 1, not ${at}`, {
        field: "at",
      });
    }
    const picture =
      at === undefined || at >= this.#source.lastSequence
        ? await this.#source.picture(format, requester)
        : await this.#source.history.picture(this.#source.screens, {
            sequence: at,
            format,
            requester,
          });
    return this.#screenOf(picture, { format, title: await this.#titleAt(at) });
  }

  /** A snapshot to follow the terminal from, soon; it has everything up to a sequence in any case. */
  async snapshot(atLeast: number, requester?: DrawRequester): Promise<Screen> {
    const format = "ansi";
    const soon = await this.#source.pictureSoon(format, requester);
    const picture = soon.sequence < atLeast ? await this.#source.picture(format, requester) : soon;
    return this.#screenOf(picture, { format, title: this.#source.status.title });
  }

  /** Entries after a sequence, with their views; at least one unless there is none. */
  async readAfter(sequence: number, maxBytes: number): Promise<readonly EntryWithViews[]> {
    const { recording } = this.#source;
    const entries = await recording.readEntries({
      after: sequence,
      limit: PAGE_ENTRIES,
      maxBytes,
    });
    const views = new EntryViews();
    // What is committed but not told of yet comes by itself.
    return entries
      .filter((entry) => entry.sequence <= this.#source.lastSequence)
      .map((entry) => views.of(entry));
  }

  /** What the terminal showed in parts per command; older output is one part that draws the screen before the rest. */
  readContent(options?: ContentOptions): Promise<TerminalContent> {
    return readContent(this.#source, options);
  }

  /** Output from a position on; waits for some when there is none and time is given. */
  async readOutput(
    { waitMs = 0, ...input }: Omit<ReadOutputInput, "id">,
    { terminal, signal }: FollowedTerminal,
  ): Promise<OutputPage> {
    const source = {
      readEntries: (after: number, maxBytes: number) =>
        this.#source.recording.readEntries({
          after,
          types: ["output", "gap", "exit"],
          limit: PAGE_ENTRIES,
          maxBytes,
        }),
      readExtent: () => this.#source.recording.readExtent(),
      readExit: () => this.#readExit(),
    };
    const deadline = performance.now() + waitMs;
    let { position } = input;
    let missed = false;
    const read = async (): Promise<OutputPage> => {
      const page = await readOutput(source, { ...input, position });
      missed ||= page.missed === true;
      ({ position } = page);
      const { size } = this.#source.status;
      return { ...page, ...(missed ? { missed } : {}), ...(size ? { size } : {}) };
    };
    for (;;) {
      const page = await read();
      const restMs = deadline - performance.now();
      if (page.data !== "" || page.ended || restMs <= 0 || signal?.aborted) return page;
      // What came may be nothing but markers, so what is behind them is looked at; what cannot come is not waited for.
      const { after } = page.position;
      if (!(await waitForOutput(terminal, { after, restMs, signal }))) return await read();
    }
  }

  /** What a command wrote so far. */
  async readCommandOutput(
    { firstSequence, lastSequence = Number.MAX_SAFE_INTEGER }: Command,
    maxBytes = DEFAULT_EXCERPT_BYTES,
  ): Promise<OutputExcerpt> {
    const excerpt = new Excerpt(maxBytes);
    const views = new EntryViews();
    for (let after = firstSequence; ;) {
      const entries = await this.#source.recording.readEntries({
        after,
        types: ["output"],
        limit: PAGE_ENTRIES,
        maxBytes: MAX_OUTPUT_BYTES,
      });
      for (const entry of entries) {
        const { view } = views.of(entry);
        if (view && entry.sequence < lastSequence) excerpt.push(view);
      }
      const last = entries.at(-1)?.sequence ?? lastSequence;
      if (last >= lastSequence || entries.length === 0) break;
      after = last;
    }
    return excerpt.read({ after: firstSequence }, this.#source.status.size);
  }

  #screenOf(
    { sequence, size, text, content, cursor, alternate, hash }: ScreenPicture,
    { format, title }: { format: ScreenFormat; title: string | undefined },
  ): Screen {
    const shown = { sequence, size, format, text, cursor, alternate, hash };
    const named = { ...shown, title: displayTitle({ ...this.#source.status, title }) };
    return content === undefined ? named : { ...named, content };
  }

  /** Whether older entries of these types are not among those that were read. */
  async #leavesOut(
    entries: readonly TerminalRecordingEntry[],
    { lastSequence }: RecordingWindow["extent"],
    types: EntryTypes | undefined,
  ): Promise<boolean> {
    const first = entries[0]?.sequence ?? lastSequence + 1;
    if (first <= 1) return false;
    if (types === undefined) return true;
    const query = { before: first, types, limit: 1, maxBytes: 1 };
    return (await this.#source.recording.readEntries(query)).length > 0;
  }

  async #readExit(): Promise<Extract<RecordedEntry, { type: "exit" }> | undefined> {
    const [exit] = await this.#source.recording.readEntries({
      before: Number.MAX_SAFE_INTEGER,
      types: ["exit"],
      limit: 1,
      maxBytes: 1,
    });
    return exit?.type === "exit" ? exit : undefined;
  }

  async #titleAt(sequence: number | undefined): Promise<string | undefined> {
    if (sequence === undefined) return this.#source.status.title;
    const [entry] = await this.#source.recording.readEntries({
      before: sequence + 1,
      types: ["title"],
      limit: 1,
      maxBytes: 1,
    });
    return entry?.type === "title" ? entry.title : undefined;
  }
}

interface OutputWait extends Pick<FollowedTerminal, "signal"> {
  readonly after: number;
  readonly restMs: number;
}

/** Resolves when there is output after a sequence; false when the time is over, none can come, or nobody waits. */
async function waitForOutput(
  terminal: FollowedTerminal["terminal"],
  { after, restMs, signal }: OutputWait,
): Promise<boolean> {
  using feed = terminal.subscribe({ after, whenBehind: "replay", isInternal: true });
  const stop = (): void => feed[Symbol.dispose]();
  const timer = setTimeout(stop, restMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const message of feed) if (message.kind === "entry" && message.view) return true;
    return false;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** What can be read of a Terminal, whether it runs here or only its recording is left. */
export interface ReadableTerminal {
  readonly id: TerminalId;
  readonly row: TerminalStorage;
  readonly lastSequence: number;
  /** What can be said of it without reading its recording. */
  readonly status: TerminalStatus;
  /** The whole terminal, as readers see it. */
  read(types?: EntryTypes, requester?: DrawRequester): Promise<TerminalData>;
  /** What the terminal showed, in parts per command. */
  readContent(options?: ContentOptions): Promise<TerminalContent>;
  /** What the terminal shows, at its newest entry or as of a sequence. */
  readScreen(format: ScreenFormat, at?: number, requester?: DrawRequester): Promise<Screen>;
  /** Output from a position on; waits for some when there is none and time is given. */
  readOutput(input: Omit<ReadOutputInput, "id">, signal?: AbortSignal): Promise<OutputPage>;
  listCommands(page?: CommandPage): Promise<Command[]>;
  findCommand(commandId: CommandId): Promise<Command | undefined>;
  /** What a command wrote, whole or as its beginning and its end. */
  readCommandOutput(command: Command, maxBytes?: number): Promise<OutputExcerpt>;
  /** Waits for something to happen; always with a deadline. */
  wait(input: Omit<WaitInput, "id">, requester?: DrawRequester): Promise<WaitResult>;
  /** Follows the terminal: a snapshot, then every entry once. */
  subscribe(options?: FeedOptions): TerminalSubscription;
  /** Calls back when something may have changed. */
  onChange(listener: () => void): Disposable;
}
