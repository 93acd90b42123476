import type { TerminalData, TerminalId, TerminalStorage, TerminalSummary } from "@nacre/contracts";
import type { EntryWithViews } from "./appender.ts";

/** Functions that want to know that something may have changed. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Adds one, until what is returned is disposed of. */
  add(listener: () => void): Disposable {
    this.#all.add(listener);
    return { [Symbol.dispose]: () => void this.#all.delete(listener) };
  }

  call(): void {
    for (const listener of this.#all) listener();
  }
}

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
