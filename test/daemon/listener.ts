import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { TerminalRecordingEntry } from "@nacre/contracts";
import type { NumberedLines } from "../support/numbered-lines.ts";

/** Somebody who follows one terminal to its end over connections that break. */
export interface Listener {
  readonly name: string;
  /** How often it was told to start over, or that something is missing. */
  readonly resyncs: number;
  /** Connections that broke which nobody else counts. */
  readonly ownCuts: number;
  /** Resolves when it is connected for the first time. */
  readonly connected: Promise<void>;
  /** Resolves when it has heard the end. */
  readonly ended: Promise<void>;
  /** Throws unless what it heard is what was recorded. */
  check(terminal: NumberedLines): Promise<void>;
}

/** What happens to a listener on its way. */
export interface Happenings {
  readonly connected: () => void;
  readonly resync: () => void;
  readonly cut: () => void;
}

/** Starts to listen: `listen` resolves when the end was heard. */
export function startListener(options: {
  readonly name: string;
  readonly listen: (happenings: Happenings) => Promise<void>;
  readonly check: (name: string, terminal: NumberedLines) => Promise<void>;
}): Listener {
  const { name } = options;
  const connected = Promise.withResolvers<void>();
  const counts = { resyncs: 0, ownCuts: 0 };
  const ended = options.listen({
    connected: () => connected.resolve(),
    resync: () => void (counts.resyncs += 1),
    cut: () => void (counts.ownCuts += 1),
  });
  // Who fails before it is connected is not waited for.
  ended.catch((error: unknown) => connected.reject(error));
  return {
    name,
    connected: connected.promise,
    ended,
    get resyncs() {
      return counts.resyncs;
    },
    get ownCuts() {
      return counts.ownCuts;
    },
    check: (terminal) => options.check(name, terminal),
  };
}

/** The entries that a listener heard, one after the other. */
export class HeardEntries {
  readonly #entries: TerminalRecordingEntry[] = [];

  /** Up to where entries were read that may be told once more. */
  #readUpTo = 0;

  /** The entry heard last. */
  get last(): number {
    return this.#entries.at(-1)?.sequence ?? 0;
  }

  /** Whether the end was heard. */
  get isOver(): boolean {
    return this.#entries.at(-1)?.type === "exit";
  }

  /** Takes what was told, also what should not have been. */
  add(entry: TerminalRecordingEntry): void {
    if (entry.sequence > this.#readUpTo) this.#entries.push(entry);
  }

  /** Takes what was read because something was missed; it may be told once more. */
  catchUp(entries: readonly TerminalRecordingEntry[]): void {
    this.#entries.push(...entries);
    this.#readUpTo = this.last;
  }

  /** Throws unless these are all entries from the first one heard on, each once. */
  async check(name: string, terminal: NumberedLines): Promise<void> {
    const [first] = this.#entries;
    const recorded = (await terminal.entries()).filter(
      ({ sequence }) => sequence >= (first?.sequence ?? 0),
    );
    const sequences = (entries: readonly TerminalRecordingEntry[]): string =>
      entries.map(({ sequence }) => sequence).join(" ");
    assert.equal(sequences(this.#entries), sequences(recorded), `${name}: other entries`);
    const at = recorded.findIndex(
      (entry, index) => !isDeepStrictEqual(entry, this.#entries[index]),
    );
    assert.equal(at, -1, `${name}: entry ${recorded[at]?.sequence} differs`);
  }
}

/** The bytes that a viewer was shown since its last snapshot. */
export class ShownBytes {
  #since = 0;
  #pieces: Uint8Array[] = [];
  #last = 0;

  /** Up to where everything was shown. */
  get last(): number {
    return this.#last;
  }

  add(bytes: Uint8Array, sequence: number): void {
    this.#pieces.push(bytes);
    this.#last = sequence;
  }

  /** Everything up to here is replaced by a picture. */
  restart(sequence: number): void {
    this.#pieces = [];
    this.#since = sequence;
    this.#last = sequence;
  }

  /** Throws unless these are all bytes that were recorded since then. */
  async check(name: string, terminal: NumberedLines): Promise<void> {
    const shown = Buffer.concat(this.#pieces);
    const recorded = await terminal.view(this.#since);
    assert.ok(
      shown.equals(recorded),
      `${name}: ${shown.length} bytes since ${this.#since} are not the ${recorded.length} recorded`,
    );
  }
}
