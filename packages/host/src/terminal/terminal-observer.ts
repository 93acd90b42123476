import type { TerminalData, TerminalId } from "@nacre/contracts";
import type { Recorded } from "./appender.ts";

/** What an observer sees of a Terminal. */
export interface ObservedTerminal {
  readonly id: TerminalId;
  read(): Promise<TerminalData>;
}

/** Who is told what happens in Terminals. */
export interface TerminalObserver {
  /** An entry was recorded; told in order of sequence. */
  handleRecorded(terminal: ObservedTerminal, recorded: Recorded): void;
  /** The status changed. */
  handleChange(terminal: ObservedTerminal): void;
  /** Something failed that nobody waits for. */
  handleProblem(terminal: ObservedTerminal, error: unknown): void;
}
