import { OutputView } from "../../shell/output-view.ts";
import type { RecordedEntry } from "../recorded-entry.ts";

/** The entries with their output as viewers get it: without the markers of shell integration. */
export function* withoutMarkers(entries: Iterable<RecordedEntry>): Generator<RecordedEntry> {
  const output = new OutputView();
  // Standard error, where it comes apart, is text of its own.
  const error = new OutputView();
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) yield entry;
    else {
      const view = entry.stream === "stderr" ? error : output;
      yield { ...entry, data: view.push(entry.data) };
    }
  }
}
