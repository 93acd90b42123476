import {
  type Command,
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
} from "@nacre/contracts";
import type { RecordingWindow } from "../recording/recording-reader.ts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { LiveScreen } from "../screen/live-screen.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import { EntryViews, type EntryWithViews } from "./appender.ts";
import type { TerminalContent } from "./content.ts";
import { Excerpt } from "./excerpt.ts";
import { type ContentOptions, readContent } from "./read-content.ts";
import { readOutput } from "./read-output.ts";
import type { DrawRequest, ScreenHistory } from "./screen-history.ts";
import type { FeedOptions, FeedSource, TerminalSubscription } from "./subscription.ts";
import { buildTerminalData, displayTitle, type TerminalStatus } from "./terminal-data.ts";

/** A page of entries is bounded by its bytes; this bounds it when they are small. */
const PAGE_ENTRIES = 1000;

/** In a flood, drawing can be far behind; who comes to look waits no longer than this. */
const MAX_PICTURE_WAIT_MS = 500;

/** What a reader needs of its Terminal, live or ended. */
interface ReadSource {
  readonly id: TerminalId;
  readonly status: TerminalStatus;
  /** The newest entry that was told of. */
  readonly lastSequence: number;
  /** Whether no entry can follow any more. */
  readonly isOver: boolean;
  subscribe(options: FeedOptions): TerminalSubscription;
}

/** Reads everything there is to read of a Terminal, live or ended: from its recording and its screen. */
export class TerminalReader implements FeedSource {
  readonly history: ScreenHistory;
  readonly #source: ReadSource;
  readonly #screen: LiveScreen | undefined;

  /** @param screen The one that is kept up to date, of a terminal that runs here. */
  constructor(source: ReadSource, history: ScreenHistory, screen?: LiveScreen) {
    this.#source = source;
    this.history = history;
    this.#screen = screen;
  }

  get lastSequence(): number {
    return this.#source.lastSequence;
  }

  get isOver(): boolean {
    return this.#source.isOver;
  }

  /** The terminal as readers see it: status, newest entries and screen. */
  async read(types?: EntryTypes, requester?: DrawRequester): Promise<TerminalData> {
    const { recording } = this.history;
    const [{ entries, extent }, picture] = await Promise.all([
      recording.readWindow(types),
      // What is told last of a terminal has to be what it shows last, however far drawing is behind.
      this.#picture("ansi", requester),
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
    if (!this.#screen && this.lastSequence === 0) {
      const { id } = this.#source;
      throw new NacreError("recording_not_found", `${id} has no entries to draw a screen from`);
    }
    if (at !== undefined && at < 1) {
      throw new NacreError("invalid_argument", `at: entries begin with 1, not ${at}`, {
        field: "at",
      });
    }
    const picture =
      at === undefined || at >= this.lastSequence
        ? await this.#picture(format, requester)
        : await this.history.picture({ sequence: at, format, requester });
    return this.#screenOf(picture, { format, title: await this.#titleAt(at) });
  }

  /** A snapshot to follow the terminal from, soon; it has everything up to a sequence in any case. */
  async snapshot(atLeast: number, requester?: DrawRequester): Promise<Screen> {
    const format = "ansi";
    const soon = await this.#picture(format, requester, MAX_PICTURE_WAIT_MS);
    const picture = soon.sequence < atLeast ? await this.#picture(format, requester) : soon;
    return this.#screenOf(picture, { format, title: this.#source.status.title });
  }

  /** Entries after a sequence, with their views; at least one unless there is none. */
  async readAfter(sequence: number, maxBytes: number): Promise<readonly EntryWithViews[]> {
    const entries = await this.history.recording.readEntries({
      after: sequence,
      limit: PAGE_ENTRIES,
      maxBytes,
    });
    const views = new EntryViews();
    // What is committed but not told of yet comes by itself.
    return entries
      .filter((entry) => entry.sequence <= this.lastSequence)
      .map((entry) => views.of(entry));
  }

  /** What is drawn of it by now, which may lack the newest entries; nothing where no screen is kept up to date. */
  glance(format: ScreenFormat): Promise<ScreenPicture> | undefined {
    const screen = this.#screen;
    return screen && !screen.isClosed ? screen.glance(format) : undefined;
  }

  /** What the terminal showed in parts per command; older output is one part that draws the screen before the rest. */
  readContent(options?: ContentOptions): Promise<TerminalContent> {
    return readContent(this, options);
  }

  /** Output from a position on; waits for some when there is none and time is given. */
  async readOutput(
    { waitMs = 0, ...input }: Omit<ReadOutputInput, "id">,
    signal?: AbortSignal,
  ): Promise<OutputPage> {
    const { recording } = this.history;
    const source = {
      readEntries: (after: number, maxBytes: number) =>
        recording.readEntries({
          after,
          types: ["output", "gap", "exit"],
          limit: PAGE_ENTRIES,
          maxBytes,
        }),
      readExtent: () => recording.readExtent(),
      readExit: () => this.#readExit(),
    };
    const deadline = performance.now() + waitMs;
    let { position } = input;
    let missed = false;
    const read = async (): Promise<OutputPage> => {
      const page = await readOutput(source, { ...input, position });
      missed ||= page.missed === true;
      ({ position } = page);
      const { size, recordingBlocked } = this.#source.status;
      return {
        ...page,
        ...(missed ? { missed } : {}),
        ...(size ? { size } : {}),
        ...(recordingBlocked ? { recordingBlocked } : {}),
      };
    };
    for (;;) {
      const page = await read();
      const restMs = deadline - performance.now();
      if (page.data !== "" || page.ended || restMs <= 0 || signal?.aborted) return page;
      // What came may be nothing but markers, so what is behind them is looked at; what cannot come is not waited for.
      const { after } = page.position;
      if (!(await this.#waitForOutput(after, restMs, signal))) return await read();
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
      const entries = await this.history.recording.readEntries({
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

  /** What the terminal shows now; where time is given and a flood is drawn later than that, what is drawn by then: its sequence says which. */
  async #picture(
    format: ScreenFormat,
    requester: DrawRequester | undefined,
    withinMs?: number,
  ): Promise<ScreenPicture> {
    const screen = this.#screen;
    const at = (): DrawRequest => ({ sequence: this.lastSequence, format, requester });
    if (!screen) return await this.history.lastPicture(at());
    try {
      return await (withinMs === undefined
        ? screen.picture(format)
        : screen.pictureWithin(format, withinMs));
    } catch (error) {
      if (!screen.isClosed) throw error;
      // Who asked a moment too late is shown what the recording says.
      return await this.history.picture(at());
    }
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
    return (await this.history.recording.readEntries(query)).length > 0;
  }

  async #readExit(): Promise<Extract<RecordedEntry, { type: "exit" }> | undefined> {
    const [exit] = await this.history.recording.readEntries({
      before: Number.MAX_SAFE_INTEGER,
      types: ["exit"],
      limit: 1,
      maxBytes: 1,
    });
    return exit?.type === "exit" ? exit : undefined;
  }

  async #titleAt(sequence: number | undefined): Promise<string | undefined> {
    if (sequence === undefined) return this.#source.status.title;
    const [entry] = await this.history.recording.readEntries({
      before: sequence + 1,
      types: ["title"],
      limit: 1,
      maxBytes: 1,
    });
    return entry?.type === "title" ? entry.title : undefined;
  }

  /** Resolves when there is output after a sequence; false when the time is over, none can come, or nobody waits. */
  async #waitForOutput(
    after: number,
    restMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    using feed = this.#source.subscribe({ after, whenBehind: "replay", isInternal: true });
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
}
