import type { TerminalId } from "@nacre/contracts";
import type { TerminalFacts, TerminalListing } from "../../../operations/terminal-listing.ts";
import { ClientNames } from "../protocol/client-names.ts";
import { shapeRoot } from "../protocol/shaping.ts";
import type { RootState, TerminalInfo } from "../protocol/state.ts";
import { ownUriOf, parseTerminalUri, ROOT_URI, uriOf } from "../protocol/uri.ts";
import {
  type Channel,
  type ChannelLimits,
  IdleTimer,
  type PreparedSnapshot,
  type Subscriber,
  Subscribers,
} from "./channel.ts";
import { Envelope, type ServerSeq } from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";
import { encodeTerminalInfo } from "./published-state.ts";

export interface RootChannelDeps {
  /** Disposed of with the channel. */
  readonly listing: Pick<TerminalListing, "list" | "find" | "onChange" | typeof Symbol.dispose>;
  readonly numbers: ServerSeq;
  readonly limits: Pick<ChannelLimits, "rootHistoryBytes" | "rootMs" | "channelMs">;
  readonly version: string;
  /** Every list, new or not. */
  handleList?(terminals: readonly TerminalFacts[]): void;
  handleIdle?(channel: RootChannel): void;
  readonly handleProblem: (error: unknown) => void;
}

/** The root for everybody who sees the same terminals: their list, published when it changes. */
export class RootChannel implements Channel, Disposable {
  readonly uri = ROOT_URI;
  readonly #deps: RootChannelDeps;
  readonly #history: ActionHistory;
  readonly #openedAt: number;
  readonly #subscribers: Subscribers;
  readonly #idle: IdleTimer;
  readonly #watch: Disposable;
  #terminals: TerminalInfo[] = [];
  #json = "";
  #newest: Envelope | undefined;
  /** Terminals by the addresses their clients chose. */
  #chosen = new Map<string, TerminalId>();
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RootChannelDeps) {
    const { listing, numbers, limits, handleProblem } = deps;
    this.#deps = deps;
    // Takes a number: a client with all earlier numbers may have missed what nobody numbered until now.
    this.#openedAt = numbers.next();
    this.#history = new ActionHistory(this.#openedAt, () => limits.rootHistoryBytes);
    this.#subscribers = new Subscribers(handleProblem);
    this.#idle = new IdleTimer(() => deps.handleIdle?.(this));
    this.#watch = listing.onChange(() => this.#scheduleRefresh());
    this.#terminals = this.#readList();
    this.#json = JSON.stringify(this.#terminals);
    this.touch();
  }

  touch(): void {
    this.#idle.stop();
    if (this.#subscribers.isEmpty) this.#idle.start(this.#deps.limits.channelMs);
  }

  /** Undefined when it does not exist for this root. */
  find(uri: string): TerminalFacts | undefined {
    const named = parseTerminalUri(uri);
    if (named === undefined) return undefined;
    const { listing } = this.#deps;
    const own = named.kind === "own" ? listing.find(named.id) : undefined;
    if (own) return own;
    const id = this.#chosen.get(uri);
    return (id && listing.find(id)) ?? listing.list().find((terminal) => uriOf(terminal) === uri);
  }

  prepare(uri?: string): Promise<PreparedSnapshot>;
  prepare(): Promise<PreparedSnapshot> {
    return Promise.resolve({
      length: 0,
      isProvisional: false,
      take: ({ shape, callerId }) => {
        this.refresh();
        const state = shapeRoot(this.#state(), shape, new ClientNames(callerId));
        return { resource: ROOT_URI, state, fromSeq: this.#deps.numbers.last };
      },
      retell: (subscriber) => {
        this.refresh();
        subscriber.offer(this.#envelope(true), ROOT_URI);
        return this.#deps.numbers.last;
      },
      [Symbol.dispose]: () => undefined,
    });
  }

  join(subscriber: Subscriber): void {
    this.#idle.stop();
    this.#subscribers.add(subscriber, ROOT_URI);
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.remove(subscriber, ROOT_URI);
    this.touch();
  }

  /** The newest list stands for those that are gone. */
  after(serverSeq: number): readonly Envelope[] | undefined {
    this.refresh();
    if (serverSeq < this.#openedAt) return undefined;
    return this.#history.after(serverSeq) ?? (this.#newest ? [this.#newest] : []);
  }

  /** At once, regardless of the interval. */
  refresh(): void {
    this.#cancelRefresh();
    this.#refreshedAt = performance.now();
    const terminals = this.#readList();
    const spelled = JSON.stringify(terminals);
    if (spelled === this.#json) return;
    this.#terminals = terminals;
    this.#json = spelled;
    const envelope = this.#envelope(false);
    this.#history.push(envelope);
    this.#newest = envelope;
    this.#subscribers.offer(envelope);
  }

  [Symbol.dispose](): void {
    this.#cancelRefresh();
    this.#idle.stop();
    this.#watch[Symbol.dispose]();
    this.#subscribers.clear();
    this.#deps.listing[Symbol.dispose]();
  }
  #state(): RootState {
    const { version } = this.#deps;
    return {
      agents: [],
      activeSessions: 0,
      terminals: this.#terminals,
      _meta: { hostBuild: { version }, "dev.nacre": { version } },
    };
  }

  #readList(): TerminalInfo[] {
    const facts = this.#deps.listing.list();
    this.#deps.handleList?.(facts);
    const chosen = new Map<string, TerminalId>();
    const owners = new Map(facts.map(({ id }) => [ownUriOf(id), id]));
    const terminals = facts.map((terminal) => {
      const info = encodeTerminalInfo(terminal);
      // Two terminals may have the same address through other wires: it belongs to the one whose id it is, or the
      // older.
      const isOthers = (owners.get(info.resource) ?? terminal.id) !== terminal.id;
      const isTaken = isOthers || chosen.has(info.resource);
      const resource = isTaken ? ownUriOf(terminal.id) : info.resource;
      chosen.set(resource, terminal.id);
      return { ...info, resource };
    });
    this.#chosen = chosen;
    return terminals;
  }

  #envelope(isOwn: boolean): Envelope {
    const action = { type: "root/terminalsChanged", terminals: this.#terminals } as const;
    const serverSeq = this.#deps.numbers.next();
    return new Envelope({ serverSeq, channel: ROOT_URI, sequence: 0, action, isOwn });
  }

  /** At the end of this turn, or when the interval is over. */
  #scheduleRefresh(): void {
    if (this.#immediate !== undefined || this.#timer !== undefined) return;
    const waitMs = this.#refreshedAt + this.#deps.limits.rootMs - performance.now();
    if (waitMs <= 0) this.#immediate = setImmediate(() => this.#refreshNow());
    else this.#timer = setTimeout(() => this.#refreshNow(), waitMs).unref();
  }

  #refreshNow(): void {
    try {
      this.refresh();
    } catch (error) {
      this.#deps.handleProblem(error);
    }
  }

  #cancelRefresh(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
  }
}
