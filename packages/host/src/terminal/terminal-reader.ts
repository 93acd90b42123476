import {
  type Command,
  DEFAULT_EXCERPT_BYTES,
  MAX_OUTPUT_BYTES,
  NacreError,
  type OutputExcerpt,
  type OutputPage,
  type ReadOutputInput,
  type Screen,
  type ScreenFormat,
  type TerminalData,
  type TerminalId,
} from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import type { FeedOptions, FeedSource, TerminalSubscription } from "./subscription.ts";
import type { Recorded } from "./appender.ts";
import type { TerminalContent } from "./content.ts";
import { Excerpt } from "./excerpt.ts";
import { type ContentOptions, readContent } from "./read-content.ts";
import { readOutput } from "./read-output.ts";
import type { ScreenHistory } from "./screen-history.ts";
import { dataOf, type TerminalStatus, titleOf } from "./terminal-data.ts";
import { Views } from "./views.ts";

/** A terminal that can be followed, and until when somebody waits for it. */
interface Reading {
  readonly terminal: { subscribe(options: FeedOptions): TerminalSubscription };
  readonly signal?: AbortSignal | undefined;
}

/** A page of entries is bounded by its bytes; this bounds it when they are small. */
const PAGE_ENTRIES = 1000;

/** What can be read of a Terminal, live or ended. */
export interface ReadSource {
  readonly recordings: Recordings;
  readonly screens: Screens;
  readonly history: ScreenHistory;
  readonly status: TerminalStatus;
  /** The newest entry that was told of. */
  readonly lastSequence: number;
  /** Whether no entry can follow any more. */
  readonly isOver: boolean;
  /** What the terminal shows now. */
  picture(format: ScreenFormat): Promise<ScreenPicture>;
  /** What is drawn of it by now, which may lack the newest entries; nothing where no screen is kept up to date. */
  glance?(format: ScreenFormat): Promise<ScreenPicture> | undefined;
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

  get #id(): TerminalId {
    return this.#source.status.row.id;
  }

  /** The terminal as readers see it: status, newest entries and screen. */
  async read(): Promise<TerminalData> {
    const { recordings } = this.#source;
    const [{ entries, extent }, picture] = await Promise.all([
      recordings.readWindow(this.#id),
      this.#source.picture("ansi"),
    ]);
    const { firstSequence, lastSequence } = extent;
    const total = lastSequence - firstSequence + 1;
    return dataOf(this.#source.status, {
      entries,
      extent: { firstSequence, lastSequence, total, state: recordings.state.state },
      screen: picture.content ?? "",
    });
  }

  /** What the terminal shows, now or as of a sequence. */
  async readScreen(format: ScreenFormat, at?: number): Promise<Screen> {
    if (at !== undefined && at < 1) {
      throw new NacreError("invalid_argument", `at: entries begin with 1, not ${at}`, {
        field: "at",
      });
    }
    const picture =
      at === undefined || at >= this.#source.lastSequence
        ? await this.#source.picture(format)
        : await this.#source.history.picture(this.#source.screens, { sequence: at, format });
    const title = titleOf({ ...this.#source.status, title: await this.#titleAt(at) });
    return { ...picture, format, title };
  }

  /** A snapshot to follow the terminal from. */
  snapshot(): Promise<Screen> {
    return this.readScreen("ansi");
  }

  /** Entries after a sequence, with their views; at least one unless there is none. */
  async readAfter(sequence: number, maxBytes: number): Promise<readonly Recorded[]> {
    const { recordings } = this.#source;
    const entries = await recordings.readEntries({
      terminalId: this.#id,
      after: sequence,
      limit: PAGE_ENTRIES,
      maxBytes,
    });
    const views = new Views();
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
    { terminal, signal }: Reading,
  ): Promise<OutputPage> {
    const source = {
      readEntries: (after: number, maxBytes: number) =>
        this.#source.recordings.readEntries({
          terminalId: this.#id,
          after,
          types: ["output", "gap", "exit"],
          limit: PAGE_ENTRIES,
          maxBytes,
        }),
      readExtent: () => this.#source.recordings.readExtent(this.#id),
      readExit: () => this.#readExit(),
    };
    const deadline = performance.now() + waitMs;
    let { position } = input;
    let missed = false;
    const read = async (): Promise<OutputPage> => {
      const page = await readOutput(source, { ...input, position });
      missed ||= page.missed === true;
      ({ position } = page);
      return missed ? { ...page, missed } : page;
    };
    for (;;) {
      const page = await read();
      const restMs = deadline - performance.now();
      if (page.data !== "" || page.ended || restMs <= 0 || signal?.aborted) return page;
      // What came may be nothing but markers, so what is behind them is looked at; what cannot come is not waited for.
      const { after } = page.position;
      if (!(await whenOutput(terminal, { after, restMs, signal }))) return await read();
    }
  }

  /** What a command wrote so far. */
  async readCommandOutput(
    { firstSequence, lastSequence = Number.MAX_SAFE_INTEGER }: Command,
    maxBytes = DEFAULT_EXCERPT_BYTES,
  ): Promise<OutputExcerpt> {
    const excerpt = new Excerpt(maxBytes);
    const views = new Views();
    for (let after = firstSequence; ;) {
      const entries = await this.#source.recordings.readEntries({
        terminalId: this.#id,
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
    return excerpt.read({ after: firstSequence });
  }

  async #readExit(): Promise<Extract<RecordedEntry, { type: "exit" }> | undefined> {
    const [exit] = await this.#source.recordings.readEntries({
      terminalId: this.#id,
      before: Number.MAX_SAFE_INTEGER,
      types: ["exit"],
      limit: 1,
      maxBytes: 1,
    });
    return exit?.type === "exit" ? exit : undefined;
  }

  async #titleAt(sequence: number | undefined): Promise<string | undefined> {
    if (sequence === undefined) return this.#source.status.title;
    const [entry] = await this.#source.recordings.readEntries({
      terminalId: this.#id,
      before: sequence + 1,
      types: ["title"],
      limit: 1,
      maxBytes: 1,
    });
    return entry?.type === "title" ? entry.title : undefined;
  }
}

interface OutputWait extends Pick<Reading, "signal"> {
  readonly after: number;
  readonly restMs: number;
}

/** Resolves when there is output after a sequence; false when the time is over, none can come, or nobody waits. */
async function whenOutput(
  terminal: Reading["terminal"],
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
