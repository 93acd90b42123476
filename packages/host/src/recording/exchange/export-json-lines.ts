import { encodeBytes, type TerminalRecordingEntry } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import { toJsonText } from "./json-text.ts";
import { encodePieces } from "./text-pieces.ts";

function toContractEntry(entry: RecordedEntry): TerminalRecordingEntry {
  if (entry.type !== "input" && entry.type !== "output") return entry;
  const { data, ...rest } = entry;
  return data === undefined ? rest : { ...rest, ...encodeBytes(data) };
}

function* writeJsonLines(entries: Iterable<RecordedEntry>): Generator<string> {
  for (const entry of entries) yield `${toJsonText(toContractEntry(entry))}\n`;
}

/** Writes one entry per line, each as the contracts describe it; nothing is left out. */
export const exportJsonLines = (
  entries: Iterable<RecordedEntry>,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeJsonLines(entries));
