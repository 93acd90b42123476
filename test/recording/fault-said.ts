// What a program says that recorded on a disk with faults.
import type { RecorderState } from "../../packages/host/src/recording/write.ts";

/** What became of one output. */
export interface OfferedOutput {
  readonly offset: number;
  readonly bytes: number;
  /** Where it was recorded; absent when it was refused. */
  readonly sequence?: number;
}

/** One terminal as its sender saw it. */
export interface OfferedTerminal {
  readonly uid: string;
  readonly strict: boolean;
  readonly outputs: readonly OfferedOutput[];
  /** How many markers were sent between the outputs; none may be refused. */
  readonly markers: number;
  /** What was refused that must not be. */
  readonly problems: readonly string[];
}

/** When the recorder changed its mind. */
export type StateChange = RecorderState & { readonly at: number };

/** All of it, said at the end. */
export interface FaultReport {
  readonly terminals: readonly OfferedTerminal[];
  readonly states: readonly StateChange[];
  /** Why the store could not be opened; nothing was recorded then. */
  readonly refusals: readonly string[];
  /** The sum of all gaps that were reported as they were recorded, per terminal. */
  readonly reportedGaps: Readonly<Record<string, number>>;
}

/** The byte that a terminal puts out at this offset. */
const byteAt = (uid: string, offset: number): number =>
  (Math.imul(offset, 31) + Math.imul(offset >>> 8, 17) + uid.charCodeAt(uid.length - 1)) & 0xff;

/** The bytes that a terminal puts out from this offset. */
export function bytesAt(uid: string, offset: number, bytes: number): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(bytes);
  for (let index = 0; index < bytes; index++) data[index] = byteAt(uid, offset + index);
  return data;
}
