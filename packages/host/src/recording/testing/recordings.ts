// What tests of recordings share: a place for each, and short ways to fill and read them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { ExportFormat, TerminalId } from "@nacre/contracts";
import { terminalId } from "../../testing/terminal-row.ts";
import type { Recording } from "../recording.ts";
import type { Recordings, RecordingsOptions } from "../recordings.ts";
import type { VerifyResult } from "../verify.ts";

/** The terminal most tests are about. */
export const A = terminalId("a");

/** Text as bytes that may be handed over. */
export const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

/** Directories that are removed together. */
export class TestDirectory implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), "nacre-recordings-"));
  #count = 0;

  /** A path that was not given before. */
  next(): string {
    return join(this.#path, `${++this.#count}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true });
  }
}

/** Both ways in which recordings are kept. */
export const kindsOf = (
  directory: TestDirectory,
): readonly (readonly [name: string, options: () => RecordingsOptions])[] => [
  ["in memory", () => ({})],
  ["in files", () => ({ directory: directory.next() })],
];

/** Appends output, each piece at its place. */
export class Output {
  readonly #recording: Recording;
  #offset = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  write(text: string): Promise<RecordedEntry> {
    const data = bytes(text);
    const fact = { type: "output", offset: this.#offset, data } as const;
    this.#offset += data.byteLength;
    return this.#recording.append(fact);
  }
}

/** What verifying says in the end. */
export async function verdictOf(
  recordings: Recordings,
  id: TerminalId = A,
): Promise<VerifyResult | undefined> {
  let last: VerifyResult | undefined;
  for await (const step of recordings.verify(id)) if ("ok" in step) last = step;
  return last;
}

/** A whole export as text. */
export async function exported(recordings: Recordings, format: ExportFormat): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of recordings.export({ terminalId: A, format })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
