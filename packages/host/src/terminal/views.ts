import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { OutputView } from "../shell/output-view.ts";
import type { Recorded } from "./appender.ts";

/** Makes views of recorded entries in their order, the same that were shown when they were new. */
export class Views {
  readonly #output = new OutputView();
  /** Standard error, where it comes apart, is text of its own. */
  readonly #error = new OutputView();

  of(entry: RecordedEntry): Recorded {
    if (entry.type !== "output" || entry.data === undefined) return { entry };
    const view = entry.stream === "stderr" ? this.#error : this.#output;
    return { entry, view: view.push(entry.data) };
  }
}
