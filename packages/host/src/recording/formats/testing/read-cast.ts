// Reads and writes whole casts for the tests of this folder.
import { encodeBytes, NacreError, TerminalRecordingEntrySchema } from "@nacre/contracts";
import type { RecordedEntry } from "../../recorded-entry.ts";
import type { ImportedFact } from "../cast-facts.ts";
import type { CastHeader } from "../cast-header.ts";
import { exportAsciicast } from "../export-asciicast.ts";
import { importAsciicast, type ImportOutcome } from "../import-asciicast.ts";
import { placed } from "./random-recording.ts";

export interface ReadCast {
  readonly header: CastHeader;
  readonly facts: readonly ImportedFact[];
  readonly outcome: ImportOutcome;
}

/** Reuses one buffer for all chunks, as a frugal file reader does. */
export function* piecesOf(file: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  const room = new Uint8Array(pieceBytes);
  for (let at = 0; at < file.length; at += pieceBytes) {
    const part = file.subarray(at, at + pieceBytes);
    room.set(part);
    yield room.subarray(0, part.length);
  }
  room.fill(0);
}

const utf8 = new TextEncoder();

export function readCast(file: Uint8Array | string, pieceBytes = 64 * 1024): ReadCast {
  const bytes = typeof file === "string" ? utf8.encode(file) : file;
  const cast = importAsciicast(piecesOf(bytes, pieceBytes));
  const facts = [...cast.facts];
  return { header: cast.header, facts, outcome: cast.outcome() };
}

export function refusalOf(file: Uint8Array | string): NacreError | undefined {
  try {
    readCast(file);
    return undefined;
  } catch (problem) {
    if (problem instanceof NacreError) return problem;
    throw problem;
  }
}

export const recordingOf = ({ header, facts }: ReadCast): readonly RecordedEntry[] =>
  placed([{ elapsedMs: 0, fact: { type: "header", ...header.size } }, ...facts]);

export function problemsWith(entries: readonly RecordedEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    const { data, ...rest } = { data: undefined, ...entry };
    const encoded = data === undefined ? {} : encodeBytes(data);
    const { error } = TerminalRecordingEntrySchema.safeParse({ ...rest, ...encoded });
    return error === undefined ? [] : [error.message];
  });
}

export const castText = (...parameters: Parameters<typeof exportAsciicast>): string =>
  Buffer.concat([...exportAsciicast(...parameters)]).toString();
