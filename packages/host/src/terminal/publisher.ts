import {
  NacreError,
  TerminalContract,
  type TerminalId,
  TerminalRecordingEntryContract,
} from "@nacre/contracts";
import type { Bus } from "../bus/bus.ts";
import { Coalescer } from "../bus/coalescer.ts";
import { publicEntryOf } from "../recording/entry-row.ts";
import type { Recorded } from "./appender.ts";
import type { ObservedTerminal, TerminalObserver } from "./terminal-observer.ts";

/** A terminal that floods changes all the time; nobody reads the whole of it more often than this. */
const CHANGES_PER_SECOND = 10;

/** Publishes what happens in Terminals as the events that their contracts declare; what nobody hears is not even made. */
export class Publisher implements TerminalObserver, Disposable {
  readonly #bus: Bus;
  readonly #changes: Coalescer<ObservedTerminal>;
  readonly #handleProblem: (terminalId: TerminalId | undefined, error: unknown) => void;
  #isClosed = false;

  constructor(
    bus: Bus,
    handleProblem: (terminalId: TerminalId | undefined, error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#handleProblem = handleProblem;
    this.#changes = new Coalescer<ObservedTerminal>({
      perSecond: CHANGES_PER_SECOND,
      run: (terminal) => this.#publishTerminal(terminal),
      failed: (error) => {
        if (!this.#isClosed) handleProblem(undefined, error);
      },
    });
  }

  handleRecorded(terminal: ObservedTerminal, recorded: Recorded): void {
    this.#publishEntry(terminal, recorded);
    this.handleChange(terminal);
  }

  handleChange(terminal: ObservedTerminal): void {
    const { id } = terminal;
    if (this.#bus.hasListener({ entityId: id, eventName: "data.changed" })) {
      this.#changes.ask(terminal);
    }
  }

  handleProblem(terminal: ObservedTerminal, error: unknown): void {
    this.#handleProblem(terminal.id, error);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#changes[Symbol.dispose]();
  }

  #publishEntry({ id }: ObservedTerminal, { entry, view }: Recorded): void {
    const appended = { entityId: id, eventName: "recordingEntry.appended" } as const;
    const changed = { entityId: entry.id, eventName: "data.changed" } as const;
    const isAppendedHeard = this.#bus.hasListener(appended);
    const isChangedHeard = this.#bus.hasListener(changed);
    if (!isAppendedHeard && !isChangedHeard) return;
    // Like every view, events are without markers.
    const payload = publicEntryOf(
      entry.type === "output" && view ? { ...entry, data: view } : entry,
    );
    if (isAppendedHeard) this.#bus.publish({ contract: TerminalContract, ...appended, payload });
    if (isChangedHeard) {
      this.#bus.publish({ contract: TerminalRecordingEntryContract, ...changed, payload });
    }
  }

  async #publishTerminal(terminal: ObservedTerminal): Promise<void> {
    const payload = await terminal.read().catch(unlessDeleted);
    // One that is just being deleted has no entry any more.
    if (this.#isClosed || !payload || payload.recording.lastSequence === 0) return;
    const { id: entityId } = terminal;
    const contract = TerminalContract;
    this.#bus.publish({ contract, entityId, eventName: "data.changed", payload });
  }
}

/** Of a terminal that was deleted in the meantime there is nothing to tell. */
function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
}
