import {
  NacreError,
  TerminalContract,
  type TerminalId,
  TerminalRecordingEntryContract,
  TerminalSummaryContract,
} from "@nacre/contracts";
import type { Bus, OwnedChannel } from "../bus/bus.ts";
import { Coalescer } from "../bus/coalescer.ts";
import { approximateBytes } from "../bus/event-subscription.ts";
import { toPublicEntry } from "../recording/recorded-entry.ts";
import type { EntryWithViews } from "./appender.ts";
import type { TerminalObserver } from "./terminal-init.ts";
import type { Terminal } from "./terminal.ts";

/** What events of all terminals may have together in a second: enough for people, and little beside what a terminal can write. */
const BYTES_PER_SECOND = 1024 * 1024;

/** What may be told at once after a quiet time, such as a file that is shown. */
const MAX_SAVED_BYTES = 4 * BYTES_PER_SECOND;

/**
 * A token bucket. Events are serialised, and written once per listener, by the thread that also forwards typing;
 * without a bound, a followed flood would take all of its time.
 */
export class EventTokenBucket {
  readonly #now: () => number;
  #leftBytes = MAX_SAVED_BYTES;
  #filledAt: number;

  /** @param now A clock that never jumps, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** Takes so many bytes; false, and nothing is taken, when they are more than half of what is left: so that a flood leaves room for the small events of others. */
  take(bytes: number): boolean {
    this.#fill();
    if (bytes > this.#leftBytes / 2) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  /** Takes what was more than expected; what follows waits for it. */
  charge(bytes: number): void {
    this.#leftBytes -= bytes;
  }

  #fill(): void {
    const now = this.#now();
    const filled = this.#leftBytes + ((now - this.#filledAt) / 1000) * BYTES_PER_SECOND;
    this.#leftBytes = Math.min(MAX_SAVED_BYTES, filled);
    this.#filledAt = now;
  }
}

/** A terminal that floods changes all the time; nobody reads the whole of it more often than this. */
const CHANGES_PER_SECOND = 10;

/** What an event costs beside its data: its envelope, and a write for each listener. */
const EVENT_BYTES = 1024;

/** How long nothing more is told of the entries of a flood before its listeners are told to read anew. */
const SKIP_MS = 1000;

/** Publishes what happens in terminals as the events that contracts declare; what nobody hears is not even built. */
export class EventPublisher implements TerminalObserver, Disposable {
  readonly #bus: Bus;
  readonly #budget = new EventTokenBucket();
  readonly #changes: Coalescer<Terminal>;
  readonly #summaries: Coalescer<Terminal>;
  /** The line of a list that was told last of each terminal, for as long as it is known to all listeners. */
  readonly #toldSummaries = new WeakMap<Terminal, string>();
  /** Terminals whose entries are left out at the moment. */
  readonly #skipped = new Map<Terminal, NodeJS.Timeout>();
  readonly #handleProblem: (terminalId: TerminalId | undefined, error: unknown) => void;
  #isClosed = false;

  constructor(
    bus: Bus,
    handleProblem: (terminalId: TerminalId | undefined, error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#handleProblem = handleProblem;
    const failed = (error: unknown): void => {
      if (!this.#isClosed) handleProblem(undefined, error);
    };
    const perSecond = CHANGES_PER_SECOND;
    this.#changes = new Coalescer<Terminal>({
      perSecond,
      run: (terminal) => this.#publishTerminal(terminal),
      failed,
    });
    this.#summaries = new Coalescer<Terminal>({
      perSecond,
      run: (terminal) => this.#publishSummary(terminal),
      failed,
    });
  }

  handleRecorded(terminal: Terminal, recorded: EntryWithViews): void {
    this.#publishEntry(terminal, recorded);
    this.#askForTerminal(terminal);
    const { type } = recorded.entry;
    // What is written and typed says nothing that a list shows.
    if (type !== "output" && type !== "input") this.#askForSummary(terminal);
  }

  handleChange(terminal: Terminal): void {
    this.#askForTerminal(terminal);
    this.#askForSummary(terminal);
  }

  handleProblem(terminal: Terminal, error: unknown): void {
    this.#handleProblem(terminal.id, error);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#changes[Symbol.dispose]();
    this.#summaries[Symbol.dispose]();
    for (const timer of this.#skipped.values()) clearTimeout(timer);
    this.#skipped.clear();
  }

  #askForTerminal(terminal: Terminal): void {
    if (this.#bus.hasListener(changedChannel(terminal.id, terminal))) this.#changes.ask(terminal);
  }

  #askForSummary(terminal: Terminal): void {
    if (this.#bus.hasListener(changedChannel(summaryId(terminal), terminal))) {
      this.#summaries.ask(terminal);
    } else {
      // Who listens later has read the list, which may be another by then.
      this.#toldSummaries.delete(terminal);
    }
  }

  #publishEntry(terminal: Terminal, { entry, view }: EntryWithViews): void {
    const { owner } = terminal.row;
    const appended = {
      entityId: terminal.id,
      eventName: "recordingEntry.appended",
      owner,
    } as const;
    const changed = changedChannel(entry.id, terminal);
    const isAppendedHeard = this.#bus.hasListener(appended);
    const isChangedHeard = this.#bus.hasListener(changed);
    if (!isAppendedHeard && !isChangedHeard) return;
    if (this.#skipped.has(terminal)) return;
    if (!this.#budget.take(estimateBytes(entry))) return this.#skip(terminal, [appended, changed]);
    // Like every view, events are without markers.
    const payload = toPublicEntry(
      entry.type === "output" && view ? { ...entry, data: view } : entry,
    );
    if (isAppendedHeard) this.#bus.publish({ contract: TerminalContract, ...appended, payload });
    if (isChangedHeard) {
      this.#bus.publish({ contract: TerminalRecordingEntryContract, ...changed, payload });
    }
  }

  /** Leaves out the entries of a terminal for a while, and then says so. */
  #skip(terminal: Terminal, channels: readonly OwnedChannel[]): void {
    const timer = setTimeout(() => {
      this.#skipped.delete(terminal);
      for (const channel of channels) this.#bus.skip(channel, "more was written than events carry");
    }, SKIP_MS);
    this.#skipped.set(terminal, timer);
  }

  #publishSummary(terminal: Terminal): void {
    const { summary: payload } = terminal;
    const text = JSON.stringify(payload);
    if (this.#isClosed || this.#toldSummaries.get(terminal) === text) return;
    this.#toldSummaries.set(terminal, text);
    const channel = changedChannel(summaryId(terminal), terminal);
    this.#bus.publish({ contract: TerminalSummaryContract, ...channel, payload });
  }

  async #publishTerminal(terminal: Terminal): Promise<void> {
    // Only the newest state counts: where there is no room for it now, it is told later.
    if (!this.#budget.take(EVENT_BYTES)) return this.#changes.ask(terminal);
    const payload = await terminal.reader.read().catch(ignoreDeleted);
    // One that is just being deleted has no entry any more.
    if (this.#isClosed || !payload || payload.recording.lastSequence === 0) return;
    this.#budget.charge(approximateBytes(payload));
    const channel = changedChannel(terminal.id, terminal);
    this.#bus.publish({ contract: TerminalContract, ...channel, payload });
  }
}

/** Where changes of an entity that belongs to a terminal are told. */
const changedChannel = (entityId: string, { row }: Terminal) =>
  ({ entityId, eventName: "data.changed", owner: row.owner }) as const;

const summaryId = ({ id }: Terminal): string =>
  `${TerminalSummaryContract.table}:${id.slice("terminal:".length)}`;

const estimateBytes = (entry: EntryWithViews["entry"]): number =>
  EVENT_BYTES + ("data" in entry ? (entry.data?.byteLength ?? 0) : 0);

/** Of a terminal that was deleted in the meantime there is nothing to tell. */
function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
}
