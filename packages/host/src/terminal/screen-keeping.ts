import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { LiveScreen } from "../screen/live-screen.ts";
import type { SavedScreen, ScreenChange } from "../screen/screen-change.ts";

/** A snapshot is kept after this much output: drawing any moment of a recording then takes a tenth of a second. */
const SNAPSHOT_EVERY_BYTES = 4 * 1024 * 1024;

/** What keeping screens needs. */
export interface SnapshotWriterDeps {
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

  constructor(parts: SnapshotWriterDeps) {
    this.#deps = parts;
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
