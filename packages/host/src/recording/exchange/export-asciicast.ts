import type { RecordedEntry } from "../recorded-entry.ts";
import { CastEvents } from "./cast-event.ts";
import { type CastTerminal, CastWriter } from "./cast-writer.ts";
import { encodePieces } from "./text-pieces.ts";

/** How a Recording is written as asciicast. */
export interface AsciicastOptions {
  readonly terminal: CastTerminal;
  /** 3 when absent. */
  readonly version?: 2 | 3 | undefined;
  /** Input is left out unless asked for, because people type secrets. */
  readonly input?: boolean | undefined;
}

function* writeCastLines(
  entries: Iterable<RecordedEntry>,
  { terminal, version = 3, input = false }: AsciicastOptions,
): Generator<string> {
  const events = new CastEvents(input);
  const writer = new CastWriter(terminal, version);
  for (const entry of entries) {
    if (writer.takesAsBeginning(entry)) continue;
    for (const event of events.of(entry)) yield writer.write(event);
  }
  for (const event of events.end()) yield writer.write(event);
  yield writer.header();
}

/** Writes a Recording as asciicast, for players; entries removed from its beginning do not make anybody wait. */
export const exportAsciicast = (
  entries: Iterable<RecordedEntry>,
  options: AsciicastOptions,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeCastLines(entries, options));
