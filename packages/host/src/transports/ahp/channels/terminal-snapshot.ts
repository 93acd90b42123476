import type { TerminalContent } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalContentPart, TerminalState } from "../protocol/state.ts";
import { ClientNames } from "../protocol/names.ts";
import { shapeState } from "../protocol/shaping.ts";
import type { PreparedSnapshot, ShapedSnapshot, Subscriber } from "./channel.ts";
import { reduceContent, contentLengthOf, keepBeginning } from "./content-fold.ts";
import type { Audience } from "./envelope.ts";
import type { FeedPosition } from "./feed-position.ts";
import { RecentActions } from "./recent-actions.ts";
import { resyncActions } from "./retelling.ts";
import type { ActionLog } from "./terminal-teller.ts";

/** Characters that are kept of what comes while content is read, and until it is taken: of a flood, the newest. */
const MAX_RECENT_LENGTH = 512 * 1024;

/** Content that a flood outran while it was read is read again this often, before the middle of the flood is left out. */
const MAX_READS = 2;

/** What a snapshot is made of. */
export interface TerminalSnapshotDeps {
  /** The channel, as it was asked for. */
  readonly uri: string;
  readonly position: FeedPosition;
  readonly teller: ActionLog;
  /** Reads what was shown up to an entry, which is looked at as late as possible. */
  readContent(through: () => number): Promise<TerminalContent>;
  /** Tells what was taken from the feed and waits to be told. */
  flush(): void;
  handleEnd(snapshot: TerminalSnapshot): void;
}

/**
 * A snapshot of a terminal: its content is read, and what the feed brought since is added when it is taken. In a flood
 * that is faster than that, content between what was drawn and the newest output is left out.
 */
export class TerminalSnapshot implements PreparedSnapshot {
  readonly #deps: TerminalSnapshotDeps;
  readonly #recent = new RecentActions(MAX_RECENT_LENGTH);
  #content: TerminalContent | undefined;
  #isEnded = false;

  constructor(parts: TerminalSnapshotDeps) {
    this.#deps = parts;
  }

  get length(): number {
    return (this.#content ? contentLengthOf(this.#content) : 0) + this.#recent.length;
  }

  get isProvisional(): boolean {
    return !this.#content || this.#content.provisional || this.#isOutrun(this.#content);
  }

  /** Reads the content; resolves when it can be taken. */
  async prepare(): Promise<void> {
    const { position } = this.#deps;
    for (let reads = 1; !this.#isEnded; reads++) {
      const content = await this.#deps.readContent(() => position.sequence);
      await position.reached(content.sequence);
      if (reads < MAX_READS && this.#isOutrun(content)) continue;
      this.#content = content;
      return;
    }
  }

  /** Takes note of what an entry brought, in order, whether it was told yet or not. */
  note(sequence: number, action: TerminalAction): void {
    this.#recent.push({ sequence, action });
  }

  take({ shape, callerId }: Audience): ShapedSnapshot {
    const state = this.#state();
    return {
      resource: this.#deps.uri,
      state: shapeState(state, shape, new ClientNames(callerId)),
      fromSeq: this.#deps.teller.serverSeq,
    };
  }

  retell(subscriber: Subscriber): number {
    const { teller, position } = this.#deps;
    return teller.publishToSubscriber(subscriber, resyncActions(this.#state()), position.sequence);
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#content = undefined;
    this.#recent.clear();
    this.#deps.handleEnd(this);
  }

  /** Whether something that came after the content was read is not kept. */
  #isOutrun({ sequence }: TerminalContent): boolean {
    return this.#recent.droppedThrough > sequence;
  }

  #state(): TerminalState {
    this.#deps.flush();
    const read = this.#content;
    if (!read) throw new Error("a snapshot can be taken once it is prepared, until disposed");
    return { ...this.#deps.teller.state, content: [...this.#mergeContent(read)] };
  }

  /** What was read and what came since, without what is between where that was too much. */
  #mergeContent(read: TerminalContent): readonly TerminalContentPart[] {
    const recent = this.#recent.after(read.sequence);
    if (!this.#isOutrun(read)) return reduceContent(read, recent);
    const { droppedBoundary: boundary } = this.#recent;
    const parts = keepBeginning(read, boundary !== undefined);
    const begun = boundary?.type === "terminal/commandExecuted" ? [boundary] : [];
    return reduceContent({ parts }, [...begun, ...recent]);
  }
}
