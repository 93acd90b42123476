import { stripMarkers } from "../../shell/strip.ts";
import type { RecordedEntry } from "../recorded-entry.ts";

/** The entries with their output as viewers get it: without the markers of shell integration. */
export function* stripEntryMarkers(entries: Iterable<RecordedEntry>): Generator<RecordedEntry> {
  for (const entry of entries) {
    if (entry.type !== "output" || entry.data === undefined) yield entry;
    else yield { ...entry, data: stripMarkers(entry.data) };
  }
}
