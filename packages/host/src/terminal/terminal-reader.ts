import {
  NacreError,
  type OutputPage,
  type ReadOutputInput,
  type Screen,
  type ScreenFormat,
  type TerminalData,
} from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { ScreenPicture } from "../screen/screen-change.ts";
import type { FeedOptions, FeedSource, TerminalSubscription } from "./subscription.ts";
import type { Recorded } from "./appender.ts";
import { ContentParts, type TerminalContent } from "./content.ts";
import type { LiveTerminal, TerminalParts } from "./live-terminal.ts";
import { readOutput } from "./read-output.ts";
import { dataOf, type TerminalStatus, titleOf } from "./terminal-data.ts";
import { Views } from "./views.ts";

/** A terminal that can be followed. */
interface Followed {
  subscribe(options: FeedOptions): TerminalSubscription;
}

/** More content than this is not kept in parts: what is older is one part that draws the screen before it. */
const MAX_CONTENT_BYTES = 256 * 1024;

/** A page of entries is bounded by its bytes; this bounds it when they are small. */
const PAGE_ENTRIES = 1000;

/** Reads everything there is to read of a Terminal that runs here: from its recording and its screen. */
export class TerminalReader implements FeedSource {
  readonly #live: LiveTerminal;
  readonly #parts: TerminalParts;
  readonly #status: () => TerminalStatus;

  constructor(live: LiveTerminal, parts: TerminalParts, status: () => TerminalStatus) {
    this.#live = live;
    this.#parts = parts;
    this.#status = status;
  }

  get lastSequence(): number {
    return this.#live.lastSequence;
  }

  get isOver(): boolean {
    return this.#live.isOver;
  }

  /** The terminal as readers see it: status, newest entries and screen. */
  async read(): Promise<TerminalData> {
    const { recordings } = this.#parts;
    const [{ entries, extent }, picture] = await Promise.all([
      recordings.readWindow(this.#live.id),
      this.#picture("ansi"),
    ]);
    const { firstSequence, lastSequence } = extent;
    const total = lastSequence - firstSequence + 1;
    return dataOf(this.#status(), {
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
      at === undefined || at >= this.#live.lastSequence
        ? await this.#picture(format)
        : await this.#live.history.picture(this.#parts.screens, { sequence: at, format });
    const title = titleOf({ row: this.#parts.row, title: await this.#titleAt(at) });
    return { ...picture, format, title };
  }

  /** A snapshot to follow the terminal from. */
  snapshot(): Promise<Screen> {
    return this.readScreen("ansi");
  }

  /** Entries after a sequence, with their views; at least one unless there is none. */
  async readAfter(sequence: number, maxBytes: number): Promise<readonly Recorded[]> {
    const { recordings } = this.#parts;
    const entries = await recordings.readEntries({
      terminalId: this.#live.id,
      after: sequence,
      limit: PAGE_ENTRIES,
      maxBytes,
    });
    const views = new Views();
    // What is committed but not told of yet comes by itself.
    return entries
      .filter((entry) => entry.sequence <= this.#live.lastSequence)
      .map((entry) => views.of(entry));
  }

  /** What the terminal showed in parts per command; older output is one part that draws the screen before the rest. */
  async readContent(): Promise<TerminalContent> {
    const entries = await this.#newestEntries();
    const first = entries[0]?.sequence ?? 1;
    const parts = new ContentParts();
    const isWhole = first <= 1;
    if (!isWhole) await this.#beginContent(parts, first);
    const views = new Views();
    for (const entry of entries) parts.push(views.of(entry));
    const sequence = Math.max(first, entries.at(-1)?.sequence ?? first);
    return { sequence, parts: parts.parts, truncated: !isWhole };
  }

  /** Output from a position on; waits for some when there is none and time is given. */
  async readOutput(
    { waitMs = 0, ...input }: Omit<ReadOutputInput, "id">,
    terminal: Followed,
  ): Promise<OutputPage> {
    const source = {
      readEntries: (after: number, maxBytes: number) =>
        this.#parts.recordings.readEntries({
          terminalId: this.#live.id,
          after,
          types: ["output", "gap", "exit"],
          limit: PAGE_ENTRIES,
          maxBytes,
        }),
      readExtent: () => this.#parts.recordings.readExtent(this.#live.id),
      readExit: () => this.#readExit(),
    };
    const deadline = performance.now() + waitMs;
    for (;;) {
      const page = await readOutput(source, input);
      const restMs = deadline - performance.now();
      if (page.data !== "" || page.ended || restMs <= 0) return page;
      // What came may be nothing but markers, so it is looked at again; what cannot come is not waited for.
      const isMore = await whenOutput(terminal, page.position.after, restMs);
      if (!isMore) return await readOutput(source, input);
    }
  }

  /** What the terminal shows now. */
  async #picture(format: ScreenFormat): Promise<ScreenPicture> {
    const { screen, history } = this.#live;
    try {
      return await screen.picture(format);
    } catch (error) {
      if (!this.#live.isDisposed) throw error;
      // Who asked a moment too late is shown what the recording says.
      const at = { sequence: this.#live.lastSequence, format };
      return await history.picture(this.#parts.screens, at);
    }
  }

  async #readExit(): Promise<Extract<RecordedEntry, { type: "exit" }> | undefined> {
    const [exit] = await this.#parts.recordings.readEntries({
      terminalId: this.#live.id,
      before: Number.MAX_SAFE_INTEGER,
      types: ["exit"],
      limit: 1,
      maxBytes: 1,
    });
    return exit?.type === "exit" ? exit : undefined;
  }

  /** The newest entries that matter to content, as many as its limit allows. */
  async #newestEntries(): Promise<RecordedEntry[]> {
    const entries = await this.#parts.recordings.readEntries({
      terminalId: this.#live.id,
      before: this.#live.lastSequence + 1,
      limit: PAGE_ENTRIES,
      maxBytes: MAX_CONTENT_BYTES,
    });
    return entries;
  }

  /** Begins content in the middle: with the screen before it, and with the command that was running. */
  async #beginContent(parts: ContentParts, first: number): Promise<void> {
    const { screens, recordings } = this.#parts;
    const at = { sequence: first - 1, format: "ansi" } as const;
    const picture = await this.#live.history.picture(screens, at);
    parts.begin(picture.content ?? "");
    const [before] = await recordings.readEntries({
      terminalId: this.#live.id,
      before: first,
      types: ["command", "commandEnd"],
      limit: 1,
      maxBytes: 1,
    });
    if (before?.type === "command") parts.push({ entry: before });
  }

  async #titleAt(sequence: number | undefined): Promise<string | undefined> {
    if (sequence === undefined) return this.#status().title;
    const [entry] = await this.#parts.recordings.readEntries({
      terminalId: this.#live.id,
      before: sequence + 1,
      types: ["title"],
      limit: 1,
      maxBytes: 1,
    });
    return entry?.type === "title" ? entry.title : undefined;
  }
}

/** Resolves when there is output after a sequence; false when the time is over, or none can come. */
async function whenOutput(terminal: Followed, after: number, waitMs: number): Promise<boolean> {
  using feed = terminal.subscribe({ after, whenBehind: "replay", isInternal: true });
  const timer = setTimeout(() => feed[Symbol.dispose](), waitMs);
  try {
    for await (const message of feed) if (message.kind === "entry" && message.view) return true;
    return false;
  } finally {
    clearTimeout(timer);
  }
}
