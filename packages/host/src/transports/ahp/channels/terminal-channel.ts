import type { TerminalId } from "@nacre/contracts";
import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import { uriOf } from "../protocol/uri.ts";
import {
  type Channel,
  type ChannelLimits,
  channelNotFound,
  IdleTimer,
  type PreparedSnapshot,
  type PrepareOptions,
  type Subscriber,
} from "./channel.ts";
import type { Clients } from "./clients.ts";
import type { Envelope, Origin, RawAction, ServerSeq } from "./envelope.ts";
import { TerminalSnapshot } from "./terminal-snapshot.ts";
import {
  FeedPosition,
  SourceFollower,
  type SourceMessage,
  type TerminalSource,
} from "./terminal-source.ts";
import { ActionLog } from "./action-log.ts";
import {
  decodeOutput,
  diffStates,
  encodeTerminalState,
  EntryEncoder,
  exitedAction,
} from "./published-state.ts";

/** A larger action would delay everything else on the connection; a single entry may exceed it. */
const MAX_BATCH_CHARACTERS = 64 * 1024;

/** Output of one turn, published together. */
class OutputBatch {
  readonly #handleFlush: () => void;
  #texts: string[] = [];
  #length = 0;
  #immediate: NodeJS.Immediate | undefined;

  /** `handleFull`: the batch is full, or a turn with output ended. */
  constructor(handleFull: () => void) {
    this.#handleFlush = handleFull;
  }

  add(text: string): void {
    if (text === "") return;
    if (this.#length > 0 && this.#length + text.length > MAX_BATCH_CHARACTERS) this.#handleFlush();
    this.#texts.push(text);
    this.#length += text.length;
    this.scheduleFlush();
  }

  /** At the end of this turn, even when empty. */
  scheduleFlush(): void {
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      this.#handleFlush();
    });
  }

  /** Empty when there is nothing. */
  take(): string {
    if (this.#length === 0) return "";
    const [first = ""] = this.#texts;
    const text = this.#texts.length === 1 ? first : this.#texts.join("");
    this.#texts = [];
    this.#length = 0;
    return text;
  }

  clear(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.take();
  }
}

/** An accepted action in progress, until it is published with its origin. */
interface Expectation {
  /** Done: resolves when it was published, by its entry or alone. */
  settle(): Promise<void>;
  /** Not done: it is not published; false when it was already. */
  cancel(): boolean;
}

/** An action and who asked for it. */
interface ExpectedAction {
  readonly action: TerminalAction;
  readonly origin: Origin;
}

function matchesExpected(
  action: TerminalAction,
  wanted: TerminalAction,
  isByCaller: boolean,
): boolean {
  if (action.type === "terminal/titleChanged" && wanted.type === action.type) {
    // Removing a name leaves another title, whichever that is.
    return wanted.title === action.title || (wanted.title === "" && isByCaller);
  }
  if (action.type === "terminal/resized" && wanted.type === action.type) {
    return wanted.cols === action.cols && wanted.rows === action.rows;
  }
  if (action.type === "terminal/claimed" && wanted.type === action.type) {
    return isSameClaim(action.claim, wanted.claim);
  }
  return action.type === "terminal/cleared" && wanted.type === action.type;
}

type WireClaim = Extract<TerminalAction, { type: "terminal/claimed" }>["claim"];

function isSameClaim(one: WireClaim, other: WireClaim): boolean {
  if (one.kind === "client" || other.kind === "client") {
    return one.kind === "client" && other.kind === "client" && one.clientId === other.clientId;
  }
  return (
    one.session === other.session &&
    one.chat === other.chat &&
    one.turnId === other.turnId &&
    one.toolCallId === other.toolCallId
  );
}

export interface TerminalChannelDeps {
  /** The feed starts in the turn in which the channel is made. */
  readonly source: TerminalSource;
  readonly numbers: ServerSeq;
  readonly clients: Clients;
  readonly limits: Pick<ChannelLimits, "channelMs" | "lingerMs" | "retryMs">;
  maxHistoryBytes(): number;
  /** Continues after an entry. */
  reopen(after: number): Promise<TerminalSource>;
  /** Called once. */
  handleEnd(channel: TerminalChannel): void;
  readonly handleProblem: (error: unknown) => void;
}

/** One feed, numbered and serialised once for everybody who follows the terminal. */
export class TerminalChannel implements Channel, Disposable {
  readonly terminalId: TerminalId;
  readonly uri: string;
  readonly #deps: TerminalChannelDeps;
  readonly #encoder: EntryEncoder;
  readonly #log: ActionLog;
  readonly #follower: SourceFollower;
  readonly #position: FeedPosition;
  readonly #batch = new OutputBatch(() => this.#flush());
  readonly #snapshots = new Set<TerminalSnapshot>();
  /** Actions that clients asked for and that entries will tell of, in the order they were asked for. */
  readonly #expected = new Set<ExpectedAction>();
  readonly #idle = new IdleTimer(() => this[Symbol.dispose]());
  readonly #watch: Disposable;
  #isGone = false;
  #isEnded = false;

  constructor(deps: TerminalChannelDeps) {
    const { source } = deps;
    const { facts } = source;
    this.#deps = deps;
    this.terminalId = source.terminalId;
    this.uri = uriOf(facts);
    this.#encoder = new EntryEncoder(facts.untitled);
    this.#log = new ActionLog({ ...deps, uri: this.uri, state: encodeTerminalState(facts) });
    this.#position = new FeedPosition(source.lastSequence);
    this.#follower = new SourceFollower({
      source,
      reopen: (after) => deps.reopen(after),
      retryMs: deps.limits.retryMs,
      position: () => this.#position.sequence,
      handleMessage: (message) => this.#handleMessage(message),
      handleProblem: deps.handleProblem,
    });
    this.#watch = source.onChange(() => this.#handleChange());
    this.#startIdleTimer();
    void this.#follower.run().finally(() => this.#finish());
  }

  /** Its terminal is gone, or nobody used it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get viewers(): number {
    return this.#log.subscribers.count;
  }

  /** Without content, in the newest shape. */
  get publishedState(): TerminalState {
    return this.#log.state;
  }

  touch(): void {
    this.#idle.stop();
    this.#startIdleTimer();
  }

  async prepare(uri = this.uri, options: PrepareOptions = {}): Promise<PreparedSnapshot> {
    if (this.#isEnded) throw channelNotFound(uri);
    const snapshot = new TerminalSnapshot({
      uri,
      position: this.#position,
      teller: this.#log,
      readContent: (through) => this.#follower.source.readContent({ ...options, through }),
      flush: () => this.#flush(),
      handleEnd: (ended) => {
        this.#snapshots.delete(ended);
        this.#startIdleTimer();
      },
    });
    this.#idle.stop();
    this.#snapshots.add(snapshot);
    try {
      await snapshot.prepare();
      if (this.#isEnded) throw channelNotFound(uri);
      return snapshot;
    } catch (error) {
      snapshot[Symbol.dispose]();
      throw error;
    }
  }

  join(subscriber: Subscriber, uri = this.uri): void {
    if (this.#isEnded) return;
    // Pending output is already part of what the subscriber has.
    this.#flush();
    this.#idle.stop();
    this.#log.subscribers.add(subscriber, uri);
  }

  leave(subscriber: Subscriber, uri = this.uri): void {
    this.#log.subscribers.remove(subscriber, uri);
    this.#startIdleTimer();
  }

  after(serverSeq: number): readonly Envelope[] | undefined {
    this.#flush();
    return this.#log.history.after(serverSeq);
  }

  /** The entry that confirms the action will name its origin. */
  expect(action: TerminalAction, origin: Origin): Expectation {
    const expected = { action, origin };
    this.#expected.add(expected);
    return {
      settle: () => this.#settle(expected),
      cancel: () => this.#expected.delete(expected),
    };
  }

  /** To all; withheld input, such as a password, only to its client and without the text. */
  echoInput(data: string, origin: Origin, isWithheld = false): void {
    if (this.#isEnded) return;
    this.#flush();
    const { sequence } = this.#position;
    const type = "terminal/input";
    if (isWithheld) this.#log.publishToClient({ type, data: "" }, { sequence, origin }, origin);
    else this.#publish({ type, data }, origin);
  }

  /** As the client spelled it; then publishes what is true instead. */
  reject(action: RawAction, origin: Origin, reason: string, uri = this.uri): void {
    this.#flush();
    const { sequence } = this.#position;
    this.#log.reject(action, { sequence, origin }, { reason, uri });
  }

  /** Under every name it joined with; not kept. Returns the last number. */
  publishToSubscriber(subscriber: Subscriber, actions: readonly TerminalAction[]): number {
    this.#flush();
    return this.#log.publishToSubscriber(subscriber, actions, this.#position.sequence);
  }

  /** The terminal left the list: publishes the rest of the feed, then ends. */
  retire(): void {
    this.#isGone = true;
    if (this.#position.isOver) this.#conclude();
  }

  /** Its share of all history shrank. */
  trim(): void {
    this.#log.history.trim();
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#idle.stop();
    this.#watch[Symbol.dispose]();
    this.#batch.clear();
    this.#log.subscribers.clear();
    this.#follower[Symbol.dispose]();
    this.#position.end();
    this.#deps.handleEnd(this);
  }

  #handleMessage(message: SourceMessage): void {
    if (message.kind === "snapshot") {
      this.#restartFromScreen(message.screen.content ?? "", message.screen.sequence);
      return;
    }
    const { entry, view } = message;
    const { sequence } = entry;
    if (entry.type === "output") {
      if (view) this.#publishOutput(decodeOutput(view), sequence);
    } else {
      const action = this.#encoder.encode(entry);
      if (action) this.#publishEntry(action, sequence, "by" in entry && entry.by !== undefined);
    }
    this.#position.moveTo(sequence);
  }

  /** Removed output cannot be sent any more: clients get its result. */
  #restartFromScreen(screen: string, sequence: number): void {
    this.#publishEntry({ type: "terminal/cleared" }, sequence, false);
    this.#publishOutput(screen, sequence);
    this.#flush();
    this.#position.moveTo(sequence);
    const truth = encodeTerminalState(this.#follower.source.facts);
    for (const action of diffStates(this.publishedState, truth)) this.#publish(action);
  }

  #publishOutput(text: string, sequence: number): void {
    if (text === "") return;
    this.#batch.add(text);
    if (this.#snapshots.size > 0) this.#note({ type: "terminal/data", data: text }, sequence);
  }

  #publishEntry(action: TerminalAction, sequence: number, isByCaller: boolean): void {
    this.#flush();
    if (action.type === "terminal/commandExecuted") this.#announceCommands();
    const expected = [...this.#expected].find((asked) =>
      matchesExpected(action, asked.action, isByCaller),
    );
    if (expected) this.#expected.delete(expected);
    this.#publish(action, expected?.origin, sequence);
    this.#note(action, sequence);
  }

  #note(action: TerminalAction, sequence: number): void {
    for (const snapshot of this.#snapshots) snapshot.note(sequence, action);
  }

  /** Command detection is the only fact without an entry. */
  #handleChange(): void {
    if (!this.publishedState.supportsCommandDetection) this.#batch.scheduleFlush();
  }

  #flush(): void {
    const data = this.#batch.take();
    if (this.#isEnded) return;
    if (data !== "") this.#publish({ type: "terminal/data", data });
    if (this.publishedState.supportsCommandDetection) return;
    if (this.#follower.source.facts.detectsCommands) this.#announceCommands();
  }

  #announceCommands(): void {
    if (this.publishedState.supportsCommandDetection) return;
    this.#publish({ type: "terminal/commandDetectionAvailable" });
  }

  #publish(action: TerminalAction, origin?: Origin, sequence = this.#position.sequence): void {
    this.#log.publish(action, { sequence, origin });
    if (this.#log.history.hasDropped) this.#startIdleTimer();
  }

  /** When the feed brought nothing of it, the action is published alone. */
  async #settle(expected: ExpectedAction): Promise<void> {
    await this.#position.reached(this.#follower.source.lastSequence);
    if (!this.#expected.delete(expected) || this.#isEnded) return;
    const { action, origin } = expected;
    this.#flush();
    if (action.type === "terminal/cleared") {
      this.reject(action, origin, "there was nothing to clear");
      return;
    }
    this.#log.publishDone(action, { sequence: this.#position.sequence, origin });
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#flush();
    this.#position.end();
    if (this.#isGone) this.#conclude();
  }

  #conclude(): void {
    if (this.#isEnded) return;
    if (this.publishedState.lifecycle.status === "running") this.#publish(exitedAction(null));
    this[Symbol.dispose]();
  }

  /** Sooner when nobody could come back to it. */
  #startIdleTimer(): void {
    if (this.#isEnded || !this.#log.subscribers.isEmpty || this.#snapshots.size > 0) return;
    const { channelMs, lingerMs } = this.#deps.limits;
    this.#idle.start(this.#log.history.hasDropped ? lingerMs : channelMs);
  }
}
