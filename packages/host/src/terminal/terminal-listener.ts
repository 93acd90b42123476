import type { Recorded } from "./appender.ts";

/** Who is told what happens in a Terminal. */
export interface TerminalListener {
  /** An entry was recorded; told in order of sequence. */
  handleRecorded(recorded: Recorded): void;
  /** The status changed. */
  handleChange(): void;
  /** Whether somebody may still look at the bytes of an entry that was told of. */
  isShared(): boolean;
  /** Something failed that nobody waits for. */
  readonly handleProblem: (error: unknown) => void;
}
