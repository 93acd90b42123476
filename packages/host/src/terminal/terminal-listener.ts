import type { EntryWithViews } from "./appender.ts";

/** Who is told what happens in a Terminal. */
export interface TerminalListener {
  /** An entry was recorded; told in order of sequence. */
  handleRecorded(recorded: EntryWithViews): void;
  /** The status changed. */
  handleChange(): void;
  /** Takes the bytes of an entry that was told of, to be filled again when nobody looks at them any more. */
  recycle(sequence: number, bytes: Uint8Array<ArrayBuffer>): void;
  /** Something failed that nobody waits for. */
  readonly handleProblem: (error: unknown) => void;
}
