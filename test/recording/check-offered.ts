import { verifyRecording } from "../../packages/host/src/recording/verify.ts";
import type { EntryRow, StoreReader } from "../../packages/host/src/store/store.ts";
import { idOf } from "../support/numbered-entries.ts";
import { bytesAt, type OfferedTerminal } from "./fault-said.ts";

/** What was found of one terminal. */
export interface FoundTerminal {
  readonly recordedBytes: number;
  readonly lostBytes: number;
  readonly gaps: number;
}

const PAGE = { limit: 1000, maxBytes: 4 * 1024 * 1024 };

/** Checks that each byte that was offered is in the recording or in a gap, exactly once and in its place; throws otherwise. */
export function checkOffered(store: StoreReader, offered: OfferedTerminal): FoundTerminal {
  const { uid } = offered;
  const walk = new Walk(offered);
  for (let sequence = 0; ;) {
    const rows = store.readEntries({ terminalId: idOf(uid), after: sequence, ...PAGE });
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.sequence !== ++sequence) throw new Error(`${uid}: entry ${sequence} is missing`);
      walk.take(row);
    }
  }
  for (const step of verifyRecording(store, idOf(uid))) {
    if ("ok" in step && !step.ok) throw new Error(`${uid} does not verify: ${step.reason}`);
  }
  return walk.end();
}

/** Goes through a recording and follows where its output is. */
class Walk {
  readonly #offered: OfferedTerminal;
  readonly #present = new Map<number, number>();
  #offset = 0;
  #markers = 0;
  #recordedBytes = 0;
  #lostBytes = 0;
  #gaps = 0;

  constructor(offered: OfferedTerminal) {
    this.#offered = offered;
    for (const problem of offered.problems) throw new Error(`${offered.uid}: ${problem}`);
  }

  take(row: EntryRow): void {
    if (row.type === "output") this.#takeOutput(row);
    else if (row.type === "gap") this.#takeGap(row);
    else this.#takeMarker(row);
  }

  end(): FoundTerminal {
    const { uid, outputs, markers, strict } = this.#offered;
    const total = outputs.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.#offset !== total) {
      throw new Error(
        `${uid}: ${total} bytes were offered, ${this.#offset} are recorded or in gaps`,
      );
    }
    if (this.#markers !== markers)
      throw new Error(`${uid}: ${this.#markers} of ${markers} markers are there`);
    if (strict && this.#gaps > 0) throw new Error(`${uid} is strict and has gaps`);
    for (const { offset, sequence } of outputs) {
      if (sequence !== undefined && this.#present.get(offset) !== sequence) {
        throw new Error(
          `${uid}: output at ${offset} was acknowledged as ${sequence} and is not there`,
        );
      }
    }
    return { recordedBytes: this.#recordedBytes, lostBytes: this.#lostBytes, gaps: this.#gaps };
  }

  #takeOutput({ sequence, offset, data }: EntryRow): void {
    const { uid } = this.#offered;
    if (offset !== this.#offset) {
      throw new Error(`${uid}: entry ${sequence} is output at ${offset}, not at ${this.#offset}`);
    }
    const bytes = data?.byteLength ?? 0;
    if (!data || Buffer.compare(data, bytesAt(uid, offset, bytes)) !== 0) {
      throw new Error(`${uid}: entry ${sequence} has other bytes`);
    }
    this.#present.set(offset, sequence);
    this.#offset += bytes;
    this.#recordedBytes += bytes;
  }

  #takeGap({ facts }: EntryRow): void {
    const { lostBytes }: { lostBytes: number } = JSON.parse(facts ?? "{}");
    this.#offset += lostBytes;
    this.#lostBytes += lostBytes;
    this.#gaps++;
  }

  #takeMarker({ sequence, facts }: EntryRow): void {
    const expected = JSON.stringify({ label: `m${++this.#markers}` });
    if (facts !== expected) {
      throw new Error(`${this.#offered.uid}: entry ${sequence} is ${facts}, not ${expected}`);
    }
  }
}
