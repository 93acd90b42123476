import type { TerminalContent } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalContentPart, TerminalState } from "../protocol/state.ts";
import { ClientNames } from "../protocol/names.ts";
import { shapeState } from "../protocol/shaping.ts";
import type { PreparedSnapshot, ShapedSnapshot, Subscriber } from "./channel.ts";
import { ContentFold } from "./content-fold.ts";
import type { Audience } from "./envelope.ts";
import type { FeedPosition } from "./feed-position.ts";
import { retellingOf } from "./retelling.ts";
import type { TerminalTeller } from "./terminal-teller.ts";

/** Content that grew by more characters than this since it was read is read anew, so that a flood does not pile up in it. */
const MAX_ADDED_LENGTH = 1024 * 1024;

/** A flood that is faster than reading is not read anew for ever before the snapshot is given. */
const MAX_READS = 4;

/** What a snapshot is made of. */
export interface TerminalSnapshotParts {
  /** The channel, as it was asked for. */
  readonly uri: string;
  readonly position: FeedPosition;
  readonly teller: TerminalTeller;
  readContent(): Promise<TerminalContent>;
  /** Tells what was taken from the feed and waits to be told. */
  flush(): void;
  handleEnd(snapshot: TerminalSnapshot): void;
  readonly handleProblem: (error: unknown) => void;
}

/** An action that an entry brought. */
interface Noted {
  readonly sequence: number;
  readonly action: TerminalAction;
}

/** A snapshot of a terminal: its content is read once, and then kept up to date with the feed. */
export class TerminalSnapshot implements PreparedSnapshot {
  readonly #parts: TerminalSnapshotParts;
  #fold: ContentFold | undefined;
  /** What came since a reading began, which may or may not see it. */
  #noted: Noted[] | undefined;
  #reading: Promise<void> | undefined;
  #isStuck = false;
  #isEnded = false;

  constructor(parts: TerminalSnapshotParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#fold?.length ?? 0;
  }

  /** Reads the content; resolves when it can be taken. */
  async prepare(): Promise<void> {
    for (let reads = 0; reads < MAX_READS && this.#isOutgrown; reads++) await this.#read();
  }

  /** Takes note of what an entry brought, in order, whether it was told yet or not. */
  note(sequence: number, action: TerminalAction): void {
    this.#fold?.push(action);
    this.#noted?.push({ sequence, action });
    if (!this.#fold || this.#reading || this.#isStuck || !this.#isOutgrown) return;
    this.#read().catch((error: unknown) => {
      // What is there goes on to be right, it only grows.
      this.#isStuck = true;
      this.#parts.handleProblem(error);
    });
  }

  take({ shape, callerId }: Audience): ShapedSnapshot {
    const state = this.#state();
    return {
      resource: this.#parts.uri,
      state: shapeState(state, shape, new ClientNames(callerId)),
      fromSeq: this.#parts.teller.serverSeq,
    };
  }

  retell(subscriber: Subscriber): number {
    const { teller, position } = this.#parts;
    return teller.tellOne(subscriber, retellingOf(this.#state()), position.sequence);
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#fold = undefined;
    this.#noted = undefined;
    this.#parts.handleEnd(this);
  }

  get #isOutgrown(): boolean {
    return this.#fold === undefined || this.#fold.addedLength > MAX_ADDED_LENGTH;
  }

  #state(): TerminalState {
    this.#parts.flush();
    return { ...this.#parts.teller.state, content: this.#content() };
  }

  #content(): TerminalContentPart[] {
    if (!this.#fold) throw new Error("a snapshot can be taken once it is prepared, until disposed");
    return this.#fold.parts;
  }

  /** Reads the content anew; one reading at a time, as what comes meanwhile is noted for one. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const noted: Noted[] = [];
    this.#noted = noted;
    const { position } = this.#parts;
    const before = position.sequence;
    try {
      const content = await this.#parts.readContent();
      await position.reached(content.sequence);
      if (this.#isEnded) return;
      const fold = new ContentFold(content);
      // A recording that was emptied in between says of nothing that it was there.
      const seen = Math.max(before, content.sequence);
      for (const { sequence, action } of noted) if (sequence > seen) fold.push(action);
      this.#fold = fold;
    } finally {
      this.#noted = undefined;
    }
  }
}
