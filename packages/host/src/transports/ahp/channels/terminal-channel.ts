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

/** One action has no more text than this, unless a single entry has: what a connection sends in between waits for it. */
const MAX_BATCH_CHARACTERS = 64 * 1024;

/** Output that is ready in one turn, to be told together; kept as text, each entry read by itself. */
class OutputBatch {
  readonly #handleFlush: () => void;
  #texts: string[] = [];
  #length = 0;
  #immediate: NodeJS.Immediate | undefined;

  /** Calls back when there is as much as can be told together, and at the end of every turn that brought something. */
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

  /** Calls back at the end of this turn, whether there is something or not. */
  scheduleFlush(): void {
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      this.#handleFlush();
    });
  }

  /** Takes everything; empty when there is nothing. */
  take(): string {
    if (this.#length === 0) return "";
    const [first = ""] = this.#texts;
    const text = this.#texts.length === 1 ? first : this.#texts.join("");
    this.#texts = [];
    this.#length = 0;
    return text;
  }

  /** Forgets what was not taken. */
  clear(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.take();
  }
}

/** An accepted action that is being done, until it is told with its origin. */
interface Expectation {
  /** It is done: resolves when it was told, by its entry or alone. */
  settle(): Promise<void>;
  /** It was not done: nothing is told of it any more; false when it was told already. */
  cancel(): boolean;
}

/** An action and who asked for it. */
interface ExpectedAction {
  readonly action: TerminalAction;
  readonly origin: Origin;
}

/** Whether an action of an entry is what was asked for. */
function matchesExpected(
  action: TerminalAction,
  wanted: TerminalAction,
  isByCaller: boolean,
): boolean {
  if (action.type === "terminal/titleChanged" && wanted.type === action.type) {
    // A name that is taken away leaves another title, whichever that is.
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
  /** The terminal, whose feed has not begun; it begins in the turn in which the channel is made. */
  readonly source: TerminalSource;
  readonly numbers: ServerSeq;
  readonly clients: Clients;
  readonly limits: Pick<ChannelLimits, "channelMs" | "lingerMs" | "retryMs">;
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

  /** Whether it tells nothing more: its terminal is gone, or nobody used it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How many connections follow it. */
  get viewers(): number {
    return this.#log.subscribers.count;
  }

  /** Everything that was told but the content, in the newest shape. */
  get publishedState(): TerminalState {
    return this.#log.state;
  }

  /** Somebody is about to use it. */
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
    // What waits to be told is part of what the subscriber has already.
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

  /** An accepted action is about to be done: the entry that tells of it will name who asked for it. */
  expect(action: TerminalAction, origin: Origin): Expectation {
    const expected = { action, origin };
    this.#expected.add(expected);
    return {
      settle: () => this.#settle(expected),
      cancel: () => this.#expected.delete(expected),
    };
  }

  /** Tells all what a client typed; of what is withheld, such as a password, only its client, without the text. */
  echoInput(data: string, origin: Origin, isWithheld = false): void {
    if (this.#isEnded) return;
    this.#flush();
    const { sequence } = this.#position;
    const type = "terminal/input";
    if (isWithheld) this.#log.publishToClient({ type, data: "" }, { sequence, origin }, origin);
    else this.#publish({ type, data }, origin);
  }

  /** Tells a client that its action was not done, as it spelled it, and then what is true instead. */
  reject(action: RawAction, origin: Origin, reason: string, uri = this.uri): void {
    this.#flush();
    const { sequence } = this.#position;
    this.#log.reject(action, { sequence, origin }, { reason, uri });
  }

  /** Tells one connection alone, by every name it joined with, and keeps nothing of it; the last number given. */
  publishToSubscriber(subscriber: Subscriber, actions: readonly TerminalAction[]): number {
    this.#flush();
    return this.#log.publishToSubscriber(subscriber, actions, this.#position.sequence);
  }

  /** The terminal is not listed any more: what its feed still has is told, and then nothing. */
  retire(): void {
    this.#isGone = true;
    if (this.#position.isOver) this.#conclude();
  }

  /** Makes room when its share of all history became smaller. */
  trim(): void {
    this.#log.history.trim();
  }

  /** Tells nothing more. */
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

  /** What was removed from the recording cannot be told any more: clients see what came of it. */
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

  /** Whether commands are told is the only thing that no entry says. */
  #handleChange(): void {
    if (!this.publishedState.supportsCommandDetection) this.#batch.scheduleFlush();
  }

  /** Tells the output that was taken until now. */
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

  /** What was asked for is done: when the feed brought nothing of it, it is told alone. */
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
    if (this.publishedState.lifecycle.status === "running") this.#publish(exitedAction(null));
    this[Symbol.dispose]();
  }

  /** Lets it go after a while that nobody uses it; sooner when nobody could come back to it. */
  #startIdleTimer(): void {
    if (this.#isEnded || !this.#log.subscribers.isEmpty || this.#snapshots.size > 0) return;
    const { channelMs, lingerMs } = this.#deps.limits;
    this.#idle.start(this.#log.history.hasDropped ? lingerMs : channelMs);
  }
}
