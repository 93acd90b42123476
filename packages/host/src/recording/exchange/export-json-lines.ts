import { encodeBytes, type TerminalRecordingEntry } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import { jsonText } from "./json-text.ts";
import { textPieces } from "./text-pieces.ts";

function contractEntry(entry: RecordedEntry): TerminalRecordingEntry {
  if (entry.type !== "input" && entry.type !== "output") return entry;
  const { data, ...rest } = entry;
  return data === undefined ? rest : { ...rest, ...encodeBytes(data) };
}

function* linesOf(entries: Iterable<RecordedEntry>): Generator<string> {
  for (const entry of entries) yield `${jsonText(contractEntry(entry))}\n`;
}

/** Writes one entry per line, each as the contracts describe it; nothing is left out. */
export const exportJsonLines = (
  entries: Iterable<RecordedEntry>,
): Generator<Uint8Array<ArrayBuffer>> => textPieces(linesOf(entries));
