import type { TerminalData, TerminalId, TerminalStorage, TerminalSummary } from "@nacre/contracts";
import type { EntryWithViews } from "./appender.ts";

/** What an observer sees of a Terminal. */
export interface ObservedTerminal {
  readonly id: TerminalId;
  readonly row: TerminalStorage;
  readonly summary: TerminalSummary;
  read(): Promise<TerminalData>;
}

/** Who is told what happens in Terminals. */
export interface TerminalObserver {
  /** An entry was recorded; told in order of sequence. */
  handleRecorded(terminal: ObservedTerminal, recorded: EntryWithViews): void;
  /** The status changed. */
  handleChange(terminal: ObservedTerminal): void;
  /** Something failed that nobody waits for. */
  handleProblem(terminal: ObservedTerminal, error: unknown): void;
}

/** The same observer, whose failures are problems to be told, and no reason for a Terminal to fail. */
export function guardObserver(observer: TerminalObserver): TerminalObserver {
  const attempt = (terminal: ObservedTerminal, tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      observer.handleProblem(terminal, error);
    }
  };
  return {
    handleRecorded: (terminal, recorded) =>
      attempt(terminal, () => observer.handleRecorded(terminal, recorded)),
    handleChange: (terminal) => attempt(terminal, () => observer.handleChange(terminal)),
    handleProblem: (terminal, error) => observer.handleProblem(terminal, error),
  };
}
