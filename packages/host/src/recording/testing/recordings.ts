// Shared by the tests of recordings.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { ExportFormat, TerminalId } from "@nacre/contracts";
import { terminalId } from "../../testing/terminal-row.ts";
import type { Recording } from "../recording.ts";
import type { Recordings, RecordingsOptions } from "../recordings.ts";
import type { VerifyResult } from "../verify.ts";

export const A = terminalId("a");

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

export class TestDirectory implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), "nacre-recordings-"));
  #count = 0;

  next(): string {
    return join(this.#path, `${++this.#count}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true });
  }
}

/** On disk and in memory. */
export const kindsOf = (
  directory: TestDirectory,
): readonly (readonly [name: string, options: () => RecordingsOptions])[] => [
  ["in memory", () => ({})],
  ["in files", () => ({ directory: directory.next() })],
];

/** Tracks offsets. */
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

export async function verdictOf(
  recordings: Recordings,
  id: TerminalId = A,
): Promise<VerifyResult | undefined> {
  let last: VerifyResult | undefined;
  for await (const step of recordings.verify(id)) if ("ok" in step) last = step;
  return last;
}

export async function exported(recordings: Recordings, format: ExportFormat): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of recordings.export({ terminalId: A, format })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
