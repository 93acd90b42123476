import { DEFAULT_SIZE, type ScreenFormat, type Size } from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { RecordedTerminal } from "../recording/recording.ts";
import type { LiveScreen } from "../screen/live-screen.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import {
  outputByteLength,
  type SavedScreen,
  type ScreenChange,
  type ScreenPicture,
  type ScreenSource,
} from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import { EntryViews } from "./appender.ts";

/** A snapshot is kept after this much output: drawing any moment of a recording then takes a tenth of a second. */
const SNAPSHOT_EVERY_BYTES = 4 * 1024 * 1024;

interface SnapshotWriterDeps {
  readonly screen: LiveScreen;
  keep(saved: SavedScreen): Promise<void>;
  handleProblem(error: unknown): void;
}

/** Draws what is recorded on the live screen, and keeps a snapshot of it now and then. */
export class SnapshotWriter {
  readonly #deps: SnapshotWriterDeps;
  #bytesSince = 0;
  #kept: Promise<void> | undefined;
  #isKeeping = false;

  constructor(deps: SnapshotWriterDeps) {
    this.#deps = deps;
  }

  /** Resolves when nothing is being kept. */
  get settled(): Promise<void> {
    return this.#kept ?? Promise.resolve();
  }

  /** Draws an entry that was recorded, with its output as it is drawn. */
  note(entry: RecordedEntry, drawn: Uint8Array<ArrayBuffer> | undefined): void {
    const change = toScreenChange(entry, drawn);
    if (!change) return;
    this.#deps.screen.write(change);
    this.#bytesSince += drawn?.byteLength ?? 0;
    if (this.#bytesSince >= SNAPSHOT_EVERY_BYTES) this.keep();
  }

  /** Keeps a snapshot of the present, unless one is being kept. */
  keep(): void {
    if (this.#kept || this.#bytesSince === 0) return;
    this.#bytesSince = 0;
    this.#kept = this.#keep(this.#deps.screen.save()).finally(() => {
      this.#kept = undefined;
      // What came while drawing was behind.
      if (this.#bytesSince >= SNAPSHOT_EVERY_BYTES) this.keep();
    });
  }

  /** Keeps a screen that was drawn on the way to the present, which takes long in a flood: without it much would lie between two snapshots. */
  noteDrawn(saved: SavedScreen): void {
    if (!this.#kept || this.#isKeeping) return;
    this.#isKeeping = true;
    void this.#keep(Promise.resolve(saved)).finally(() => {
      this.#isKeeping = false;
    });
  }

  async #keep(saved: Promise<SavedScreen>): Promise<void> {
    try {
      await this.#deps.keep(await saved);
    } catch (error) {
      // A snapshot only saves time; the recording has everything.
      this.#deps.handleProblem(error);
    }
  }
}

/** What an entry changes on a screen, if anything. */
export function toScreenChange(
  entry: RecordedEntry,
  view: Uint8Array<ArrayBuffer> | undefined,
): ScreenChange | undefined {
  const { sequence } = entry;
  if (view) return { kind: "output", sequence, bytes: view };
  if (entry.type === "clear") return { kind: "clear", sequence };
  if (entry.type !== "resize" && entry.type !== "header") return undefined;
  return { kind: "resize", sequence, size: { cols: entry.cols, rows: entry.rows } };
}

/** What is read at once; between pages, live screens get their turn. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ENTRIES = 1000;

/** A moment to draw, and for whom. */
export interface DrawRequest {
  readonly sequence: number;
  readonly format: ScreenFormat;
  readonly requester: DrawRequester | undefined;
}

/** More than this takes longer to draw than anybody should wait for a reading, each time. */
const KEEP_AFTER_BYTES = 256 * 1024;
const KEEP_AFTER_CHANGES = 500;

/** The screens of one recording, at any of its sequences. */
export class ScreenHistory implements ScreenSource {
  readonly recording: RecordedTerminal;
  readonly #screens: Screens;

  constructor(recording: RecordedTerminal, screens: Screens) {
    this.recording = recording;
    this.#screens = screens;
  }

  /** The newest snapshot that was kept. */
  start(): Promise<SavedScreen | undefined> {
    return this.recording.findSnapshot(Number.MAX_SAFE_INTEGER);
  }

  /** Everything that changed the screen after a sequence, to the present or to another sequence. */
  async *changesAfter(
    sequence: number,
    last = Number.MAX_SAFE_INTEGER,
  ): AsyncGenerator<ScreenChange> {
    const views = new EntryViews();
    for (let after = sequence; ;) {
      const entries = await this.recording.readEntries({
        after,
        types: ["header", "output", "resize", "clear"],
        limit: PAGE_ENTRIES,
        maxBytes: PAGE_BYTES,
      });
      for (const entry of entries) {
        if (entry.sequence > last) return;
        const change = toScreenChange(entry, views.of(entry).drawn);
        if (change) yield change;
      }
      const end = entries.at(-1);
      if (!end) return;
      after = end.sequence;
    }
  }

  /** What the terminal showed last, once it has ended: what took long to draw is kept, so that it is drawn once. */
  async lastPicture({ sequence, format, requester }: DrawRequest): Promise<ScreenPicture> {
    const start = await this.recording.findSnapshot(sequence);
    let [bytes, count] = [0, 0];
    const counted = async function* (changes: AsyncIterable<ScreenChange>) {
      for await (const change of changes) {
        bytes += outputByteLength(change);
        count += 1;
        yield change;
      }
    };
    const { picture, saved } = await this.#screens.drawAndSave(
      {
        recording: this.recording.id,
        requester,
        start,
        size: start?.size ?? (await this.#firstSize()),
        changes: counted(this.changesAfter(start?.sequence ?? 0, sequence)),
        format,
      },
      () => bytes > KEEP_AFTER_BYTES || count > KEEP_AFTER_CHANGES,
    );
    // A snapshot only saves time; where it cannot be kept, the next reader draws again.
    if (saved) await this.recording.saveSnapshot(saved).catch(() => undefined);
    return { ...picture, sequence };
  }

  /** What the terminal showed as of a sequence. */
  async picture(moment: DrawRequest): Promise<ScreenPicture> {
    const start = await this.recording.findSnapshot(moment.sequence);
    return await this.#draw(start, moment);
  }

  /** As `picture`, but nothing when more output than this would have to be drawn. */
  async pictureSoon({
    maxBytes,
    ...moment
  }: DrawRequest & { readonly maxBytes: number }): Promise<ScreenPicture | undefined> {
    const { sequence } = moment;
    const start = await this.recording.findSnapshot(sequence);
    const bytes = await this.#bytesBetween(start?.sequence ?? 0, sequence);
    return bytes > maxBytes ? undefined : await this.#draw(start, moment);
  }

  async #draw(
    start: SavedScreen | undefined,
    { sequence, format, requester }: DrawRequest,
  ): Promise<ScreenPicture> {
    const picture = await this.#screens.draw({
      recording: this.recording.id,
      requester,
      start,
      size: start?.size ?? (await this.#firstSize()),
      changes: this.changesAfter(start?.sequence ?? 0, sequence),
      format,
    });
    // The entries after the last change did not change what is seen.
    return { ...picture, sequence };
  }

  /** How much output there is after one entry and up to another. */
  async #bytesBetween(after: number, through: number): Promise<number> {
    const one = { types: ["output"], limit: 1, maxBytes: 1 } as const;
    const [[first], [last]] = await Promise.all([
      this.recording.readEntries({ ...one, after }),
      this.recording.readEntries({ ...one, before: through + 1 }),
    ]);
    if (first?.type !== "output" || last?.type !== "output") return 0;
    return last.offset + (last.data?.byteLength ?? 0) - first.offset;
  }

  async #firstSize(): Promise<Size> {
    const [header] = await this.recording.readEntries({
      types: ["header"],
      limit: 1,
      maxBytes: 1,
    });
    return header?.type === "header" ? { cols: header.cols, rows: header.rows } : DEFAULT_SIZE;
  }
}
