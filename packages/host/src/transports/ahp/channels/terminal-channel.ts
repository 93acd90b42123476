import type { TerminalId } from "@nacre/contracts";
import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import { uriOf } from "../protocol/uri.ts";
import type { Channel, PreparedSnapshot, PrepareOptions, Subscriber } from "./channel.ts";
import type { Clients } from "./clients.ts";
import { unknownChannel } from "./unknown-channel.ts";
import { EntryActions, textOf } from "./entry-action.ts";
import type { Envelope, Origin, RawAction } from "./envelope.ts";
import { type Expectation, Expectations, type Expected } from "./expectations.ts";
import { FeedPosition } from "./feed-position.ts";
import { FollowedSource } from "./followed-source.ts";
import { IdleTimer } from "./idle-timer.ts";
import type { AhpLimits } from "./limits.ts";
import type { Numbers } from "./numbers.ts";
import { OutputBurst } from "./output-burst.ts";
import { TerminalSnapshot } from "./terminal-snapshot.ts";
import type { SourceMessage, TerminalSource } from "./terminal-source.ts";
import { TerminalTeller } from "./terminal-teller.ts";
import { differencesOf, exitedOf, stateOf } from "./told-state.ts";

/** What a channel is made of. */
export interface TerminalChannelParts {
  /** The terminal, whose feed has not begun; it begins in the turn in which the channel is made. */
  readonly source: TerminalSource;
  readonly numbers: Numbers;
  readonly clients: Clients;
  readonly limits: Pick<AhpLimits, "channelMs" | "lingerMs" | "retryMs">;
  /** How many bytes of history it may keep now. */
  maxHistoryBytes(): number;
  /** Opens the terminal again, to go on after an entry. */
  reopen(after: number): Promise<TerminalSource>;
  /** Is told once that it tells nothing more. */
  handleEnd(channel: TerminalChannel): void;
  readonly handleProblem: (error: unknown) => void;
}

/** The channel of one terminal: one feed, numbered and spelled once for everybody who follows it. */
export class TerminalChannel implements Channel, Disposable {
  readonly terminalId: TerminalId;
  readonly uri: string;
  readonly #parts: TerminalChannelParts;
  readonly #entryActions: EntryActions;
  readonly #teller: TerminalTeller;
  readonly #followed: FollowedSource;
  readonly #position: FeedPosition;
  readonly #burst = new OutputBurst(() => this.#flush());
  readonly #snapshots = new Set<TerminalSnapshot>();
  readonly #expectations = new Expectations();
  readonly #idle = new IdleTimer(() => this[Symbol.dispose]());
  readonly #watch: Disposable;
  #isGone = false;
  #isEnded = false;

  constructor(parts: TerminalChannelParts) {
    const { source } = parts;
    const { facts } = source;
    this.#parts = parts;
    this.terminalId = source.terminalId;
    this.uri = uriOf(facts);
    this.#entryActions = new EntryActions(facts.untitled);
    this.#teller = new TerminalTeller({ ...parts, uri: this.uri, state: stateOf(facts) });
    this.#position = new FeedPosition(source.lastSequence);
    this.#followed = new FollowedSource({
      source,
      reopen: (after) => parts.reopen(after),
      retryMs: parts.limits.retryMs,
      position: () => this.#position.sequence,
      handleMessage: (message) => this.#take(message),
      handleProblem: parts.handleProblem,
    });
    this.#watch = source.onChange(() => this.#handleChange());
    this.#rest();
    void this.#followed.run().finally(() => this.#finish());
  }

  /** Whether it tells nothing more: its terminal is gone, or nobody used it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How many connections follow it. */
  get viewers(): number {
    return this.#teller.subscribers.count;
  }

  /** Everything that was told but the content, in the newest shape. */
  get told(): TerminalState {
    return this.#teller.state;
  }

  /** Somebody is about to use it. */
  touch(): void {
    this.#idle.stop();
    this.#rest();
  }

  async prepare(uri = this.uri, options: PrepareOptions = {}): Promise<PreparedSnapshot> {
    if (this.#isEnded) throw unknownChannel(uri);
    const snapshot = new TerminalSnapshot({
      uri,
      position: this.#position,
      teller: this.#teller,
      readContent: (through) => this.#followed.source.readContent({ ...options, through }),
      flush: () => this.#flush(),
      handleEnd: (ended) => {
        this.#snapshots.delete(ended);
        this.#rest();
      },
    });
    this.#idle.stop();
    this.#snapshots.add(snapshot);
    try {
      await snapshot.prepare();
      if (this.#isEnded) throw unknownChannel(uri);
      return snapshot;
    } catch (error) {
      snapshot[Symbol.dispose]();
      throw error;
    }
  }

  join(subscriber: Subscriber, uri = this.uri): void {
    if (this.#isEnded) return;
    // What waits to be told is part of what the subscriber has already.
    this.#flush();
    this.#idle.stop();
    this.#teller.subscribers.add(subscriber, uri);
  }

  leave(subscriber: Subscriber, uri = this.uri): void {
    this.#teller.subscribers.remove(subscriber, uri);
    this.#rest();
  }

  after(serverSeq: number): readonly Envelope[] | undefined {
    this.#flush();
    return this.#teller.history.after(serverSeq);
  }

  /** An accepted action is about to be done: the entry that tells of it will name who asked for it. */
  expect(action: TerminalAction, origin: Origin): Expectation {
    const expected = this.#expectations.add(action, origin);
    return {
      settle: () => this.#settle(expected),
      cancel: () => this.#expectations.remove(expected),
    };
  }

  /** Tells all what a client typed; of what is withheld, such as a password, only its client, without the text. */
  echoInput(data: string, origin: Origin, isWithheld = false): void {
    if (this.#isEnded) return;
    this.#flush();
    const { sequence } = this.#position;
    const type = "terminal/input";
    if (isWithheld) this.#teller.tellClient({ type, data: "" }, { sequence, origin }, origin);
    else this.#tell({ type, data }, origin);
  }

  /** Tells a client that its action was not done, as it spelled it, and then what is true instead. */
  reject(action: RawAction, origin: Origin, reason: string, uri = this.uri): void {
    this.#flush();
    const { sequence } = this.#position;
    this.#teller.reject(action, { sequence, origin }, { reason, uri });
  }

  /** Tells one connection alone, by every name it joined with, and keeps nothing of it; the last number given. */
  tellOne(subscriber: Subscriber, actions: readonly TerminalAction[]): number {
    this.#flush();
    return this.#teller.tellOne(subscriber, actions, this.#position.sequence);
  }

  /** The terminal is not listed any more: what its feed still has is told, and then nothing. */
  goAway(): void {
    this.#isGone = true;
    if (this.#position.isOver) this.#conclude();
  }

  /** Makes room when its share of all history became smaller. */
  trim(): void {
    this.#teller.history.trim();
  }

  /** Tells nothing more. */
  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#idle.stop();
    this.#watch[Symbol.dispose]();
    this.#burst.clear();
    this.#teller.subscribers.clear();
    this.#followed[Symbol.dispose]();
    this.#position.end();
    this.#parts.handleEnd(this);
  }

  #take(message: SourceMessage): void {
    if (message.kind === "snapshot") {
      this.#startOver(message.screen.content ?? "", message.screen.sequence);
      return;
    }
    const { entry, view } = message;
    const { sequence } = entry;
    if (entry.type === "output") {
      if (view) this.#show(textOf(view), sequence);
    } else {
      const action = this.#entryActions.of(entry);
      if (action) this.#happen(action, sequence, "by" in entry && entry.by !== undefined);
    }
    this.#position.moveTo(sequence);
  }

  /** What was removed from the recording cannot be told any more: clients see what came of it. */
  #startOver(screen: string, sequence: number): void {
    this.#happen({ type: "terminal/cleared" }, sequence, false);
    this.#show(screen, sequence);
    this.#flush();
    this.#position.moveTo(sequence);
    const truth = stateOf(this.#followed.source.facts);
    for (const action of differencesOf(this.told, truth)) this.#tell(action);
  }

  #show(text: string, sequence: number): void {
    if (text === "") return;
    this.#burst.add(text);
    if (this.#snapshots.size > 0) this.#note({ type: "terminal/data", data: text }, sequence);
  }

  #happen(action: TerminalAction, sequence: number, isByCaller: boolean): void {
    this.#flush();
    if (action.type === "terminal/commandExecuted") this.#announceCommands();
    this.#tell(action, this.#expectations.take(action, isByCaller), sequence);
    this.#note(action, sequence);
  }

  #note(action: TerminalAction, sequence: number): void {
    for (const snapshot of this.#snapshots) snapshot.note(sequence, action);
  }

  /** Whether commands are told is the only thing that no entry says. */
  #handleChange(): void {
    if (!this.told.supportsCommandDetection) this.#burst.plan();
  }

  /** Tells the output that was taken until now. */
  #flush(): void {
    const data = this.#burst.take();
    if (this.#isEnded) return;
    if (data !== "") this.#tell({ type: "terminal/data", data });
    if (this.told.supportsCommandDetection) return;
    if (this.#followed.source.facts.detectsCommands) this.#announceCommands();
  }

  #announceCommands(): void {
    if (this.told.supportsCommandDetection) return;
    this.#tell({ type: "terminal/commandDetectionAvailable" });
  }

  #tell(action: TerminalAction, origin?: Origin, sequence = this.#position.sequence): void {
    this.#teller.tell(action, { sequence, origin });
    if (this.#teller.history.hasDropped) this.#rest();
  }

  /** What was asked for is done: when the feed brought nothing of it, it is told alone. */
  async #settle(expected: Expected): Promise<void> {
    await this.#position.reached(this.#followed.source.lastSequence);
    if (!this.#expectations.remove(expected) || this.#isEnded) return;
    const { action, origin } = expected;
    this.#flush();
    if (action.type === "terminal/cleared") {
      this.reject(action, origin, "there was nothing to clear");
      return;
    }
    this.#teller.tellDone(action, { sequence: this.#position.sequence, origin });
  }

  /** Nothing more comes from the feed. */
  #finish(): void {
    if (this.#isEnded) return;
    this.#flush();
    this.#position.end();
    if (this.#isGone) this.#conclude();
  }

  /** The terminal is gone and everything of it was told. */
  #conclude(): void {
    if (this.#isEnded) return;
    if (this.told.lifecycle.status === "running") this.#tell(exitedOf(null));
    this[Symbol.dispose]();
  }

  /** Lets it go after a while that nobody uses it; sooner when nobody could come back to it. */
  #rest(): void {
    if (this.#isEnded || !this.#teller.subscribers.isEmpty || this.#snapshots.size > 0) return;
    const { channelMs, lingerMs } = this.#parts.limits;
    this.#idle.start(this.#teller.history.hasDropped ? lingerMs : channelMs);
  }
}
