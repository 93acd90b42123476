import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { ScreenView } from "../shell/screen-view.ts";
import { stripMarkers } from "../shell/strip.ts";
import type { EntryWithViews } from "./appender.ts";

/** Makes views of recorded entries in their order, the same that were shown when they were new. */
export class EntryViews {
  readonly #output = new ScreenView();
  /** Standard error, where it comes apart, is text of its own. */
  readonly #error = new ScreenView();

  of(entry: RecordedEntry): EntryWithViews {
    if (entry.type !== "output" || entry.data === undefined) return { entry };
    const screen = entry.stream === "stderr" ? this.#error : this.#output;
    return { entry, view: stripMarkers(entry.data), drawn: screen.push(entry.data) };
  }
}
