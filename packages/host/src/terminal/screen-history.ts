import { DEFAULT_SIZE, type ScreenFormat, type Size } from "@nacre/contracts";
import type { RecordedTerminal } from "../recording/recorded-terminal.ts";
import {
  bytesOf,
  type SavedScreen,
  type ScreenChange,
  type ScreenPicture,
  type ScreenSource,
} from "../screen/screen-change.ts";
import type { Screens } from "../screen/screens.ts";
import { changeOf } from "./screen-keeping.ts";
import { Views } from "./views.ts";

/** What is read at once; between pages, live screens get their turn. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ENTRIES = 1000;

/** A moment that is drawn only when that is done soon. */
interface SoonPicture {
  readonly sequence: number;
  readonly format: ScreenFormat;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A moment, and what it is drawn from. */
interface Moment {
  readonly start: SavedScreen | undefined;
  readonly changes: AsyncIterable<ScreenChange>;
  readonly sequence: number;
  readonly format: ScreenFormat;
}

/** More than this takes longer to draw than anybody should wait for a reading, each time. */
const KEEP_AFTER_BYTES = 256 * 1024;
const KEEP_AFTER_CHANGES = 500;

/** The screens of one recording, at any of its sequences. */
export class ScreenHistory implements ScreenSource {
  readonly #recording: RecordedTerminal;

  constructor(recording: RecordedTerminal) {
    this.#recording = recording;
  }

  /** The newest snapshot that was kept. */
  start(): Promise<SavedScreen | undefined> {
    return this.#recording.findSnapshot(Number.MAX_SAFE_INTEGER);
  }

  /** Everything that changed the screen after a sequence, to the present or to another sequence. */
  async *changesAfter(
    sequence: number,
    last = Number.MAX_SAFE_INTEGER,
  ): AsyncGenerator<ScreenChange> {
    const views = new Views();
    for (let after = sequence; ;) {
      const entries = await this.#recording.readEntries({
        after,
        types: ["header", "output", "resize", "clear"],
        limit: PAGE_ENTRIES,
        maxBytes: PAGE_BYTES,
      });
      for (const entry of entries) {
        if (entry.sequence > last) return;
        const change = changeOf(entry, views.of(entry).drawn);
        if (change) yield change;
      }
      const end = entries.at(-1);
      if (!end) return;
      after = end.sequence;
    }
  }

  /** What the terminal showed last, once it has ended: what took long to draw is kept, so that it is drawn once. */
  async lastPicture(
    screens: Screens,
    { sequence, format }: { readonly sequence: number; readonly format: ScreenFormat },
  ): Promise<ScreenPicture> {
    const start = await this.#recording.findSnapshot(sequence);
    let [bytes, count] = [0, 0];
    const counted = async function* (changes: AsyncIterable<ScreenChange>) {
      for await (const change of changes) {
        bytes += bytesOf(change);
        count += 1;
        yield change;
      }
    };
    const { picture, saved } = await screens.drawAndSave(
      {
        recording: this.#recording.id,
        start,
        size: start?.size ?? (await this.#firstSize()),
        changes: counted(this.changesAfter(start?.sequence ?? 0, sequence)),
        format,
      },
      () => bytes > KEEP_AFTER_BYTES || count > KEEP_AFTER_CHANGES,
    );
    // A snapshot only saves time; where it cannot be kept, the next reader draws again.
    if (saved) await this.#recording.saveSnapshot(saved).catch(() => undefined);
    return { ...picture, sequence };
  }

  /** What the terminal showed as of a sequence. */
  async picture(
    screens: Screens,
    { sequence, format }: { readonly sequence: number; readonly format: ScreenFormat },
  ): Promise<ScreenPicture> {
    const start = await this.#recording.findSnapshot(sequence);
    const changes = this.changesAfter(start?.sequence ?? 0, sequence);
    return await this.#draw(screens, { start, changes, sequence, format });
  }

  /** As `picture`, but nothing when more output than this would have to be drawn; ends soon once the signal fires. */
  async pictureSoon(
    screens: Screens,
    { sequence, format, maxBytes, signal }: SoonPicture,
  ): Promise<ScreenPicture | undefined> {
    const start = await this.#recording.findSnapshot(sequence);
    const from = start?.sequence ?? 0;
    if ((await this.#bytesBetween(from, sequence)) > maxBytes || signal.aborted) return undefined;
    const changes = until(signal, this.changesAfter(from, sequence));
    const picture = await this.#draw(screens, { start, changes, sequence, format });
    return signal.aborted ? undefined : picture;
  }

  async #draw(
    screens: Screens,
    { start, changes, sequence, format }: Moment,
  ): Promise<ScreenPicture> {
    const size = start?.size ?? (await this.#firstSize());
    const picture = await screens.draw({
      recording: this.#recording.id,
      start,
      size,
      changes,
      format,
    });
    // The entries after the last change did not change what is seen.
    return { ...picture, sequence };
  }

  /** How much output there is after one entry and up to another. */
  async #bytesBetween(after: number, through: number): Promise<number> {
    const one = { types: ["output"], limit: 1, maxBytes: 1 } as const;
    const [[first], [last]] = await Promise.all([
      this.#recording.readEntries({ ...one, after }),
      this.#recording.readEntries({ ...one, before: through + 1 }),
    ]);
    if (first?.type !== "output" || last?.type !== "output") return 0;
    return last.offset + (last.data?.byteLength ?? 0) - first.offset;
  }

  async #firstSize(): Promise<Size> {
    const [header] = await this.#recording.readEntries({
      types: ["header"],
      limit: 1,
      maxBytes: 1,
    });
    return header?.type === "header" ? { cols: header.cols, rows: header.rows } : DEFAULT_SIZE;
  }
}

/** Changes until a signal fires. */
async function* until(
  signal: AbortSignal,
  changes: AsyncIterable<ScreenChange>,
): AsyncGenerator<ScreenChange> {
  for await (const change of changes) {
    if (signal.aborted) return;
    yield change;
  }
}
