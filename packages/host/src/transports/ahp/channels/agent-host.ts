// Shared by all connections: numbering, channels and clients.
import { type Caller, CallerId, NacreError, type TerminalId } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/operations.ts";
import type { TerminalFacts } from "../../../operations/terminal-listing.ts";
import { JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import { ownUriOf } from "../protocol/uri.ts";
import { CHANNEL_LIMITS, type ChannelLimits, channelNotFound } from "./channel.ts";
import { Clients } from "./clients.ts";
import { Envelope, type Origin, type RawAction, ServerSeq } from "./envelope.ts";
import { RootChannel } from "./root-channel.ts";
import { TerminalChannel } from "./terminal-channel.ts";
import { openSource } from "./terminal-source.ts";

export interface AgentHostDeps {
  readonly operations: Pick<Operations, "attach" | "terminals">;
  readonly version: string;
  readonly handleProblem: (error: unknown) => void;
  readonly limits?: Partial<ChannelLimits> | undefined;
}

/** The identity under which channels read terminals; visibility is checked before. */
const READER: CallContext = {
  caller: { id: CallerId.parse("host"), scope: "readOnly" },
  via: "ahp",
};

/** Everything that connections share; one numbering for all. */
export class AgentHost implements Disposable {
  readonly clients: Clients;
  readonly #deps: AgentHostDeps;
  readonly #limits: ChannelLimits;
  readonly #numbers = new ServerSeq();
  readonly #roots = new Map<string, RootChannel>();
  readonly #channels = new Map<TerminalId, TerminalChannel>();
  /** Another terminal may have the id later. */
  readonly #createdAt = new WeakMap<TerminalChannel, TerminalFacts["createdAt"]>();
  readonly #opening = new Map<TerminalId, Promise<TerminalChannel>>();
  readonly #reserved = new Set<string>();
  #isDisposed = false;

  constructor(deps: AgentHostDeps) {
    this.#deps = deps;
    this.#limits = { ...CHANNEL_LIMITS, ...deps.limits };
    this.clients = new Clients({
      numbers: this.#numbers,
      limits: this.#limits,
      handleProblem: deps.handleProblem,
    });
  }

  /** 1 before any. */
  get serverSeq(): number {
    return this.#numbers.last;
  }

  get version(): string {
    return this.#deps.version;
  }

  rootFor({ caller }: CallContext): RootChannel {
    const key = visibilityKey(caller);
    const known = this.#roots.get(key);
    known?.touch();
    return known ?? this.#openRoot(key, caller);
  }

  /** Undefined when there is none for the caller. */
  findTerminal(uri: string, context: CallContext): TerminalId | undefined {
    return this.rootFor(context).find(uri)?.id;
  }

  /** Opened on demand; throws -32008 when there is none. */
  async openTerminal(uri: string, context: CallContext): Promise<TerminalChannel> {
    const facts = this.rootFor(context).find(uri);
    if (facts === undefined) throw channelNotFound(uri);
    const channel = await this.#openChannel(facts, uri);
    // It may have been disposed of meanwhile.
    const now = this.rootFor(context).find(uri);
    if (channel.isEnded || !now || !this.#belongsTo(channel, now)) throw channelNotFound(uri);
    channel.touch();
    return channel;
  }

  /** Until disposed; throws -32010 when taken. */
  reserve(uri: string): Disposable {
    if (this.#reserved.has(uri) || this.#all.find(uri)) {
      throw new JsonRpcError(RPC_CODES.alreadyExists, `there is a terminal ${uri} already`, {
        field: "channel",
      });
    }
    this.#reserved.add(uri);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#reserved.delete(uri);
        isHeld = false;
      },
    };
  }

  /** For a channel that does not exist for the client. */
  reject(uri: string, action: RawAction, origin: Origin, reason: string): void {
    const serverSeq = this.#numbers.next();
    const about = { serverSeq, channel: uri, sequence: 0, origin, isOwn: true };
    const envelope = new Envelope({ ...about, action, rejectionReason: reason });
    this.clients.find(origin.clientId)?.publish(envelope);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const channel of this.#channels.values()) channel[Symbol.dispose]();
    for (const root of this.#roots.values()) root[Symbol.dispose]();
    this.#roots.clear();
  }

  /** For callers that see everything; also tells which terminals are gone. */
  get #all(): RootChannel {
    return this.rootFor(READER);
  }

  #openRoot(key: string, caller: Caller): RootChannel {
    if (this.#isDisposed) throw stopping();
    const { operations, version } = this.#deps;
    const isAll = key === ALL;
    const root = new RootChannel({
      listing: operations.terminals(isAll ? READER : { ...READER, caller }),
      numbers: this.#numbers,
      limits: this.#limits,
      version,
      handleList: (terminals) => void (isAll && this.#dropGone(terminals)),
      handleIdle: () => void (isAll || this.#closeRoot(key)),
      handleProblem: this.#deps.handleProblem,
    });
    this.#roots.set(key, root);
    return root;
  }

  #closeRoot(key: string): void {
    this.#roots.get(key)?.[Symbol.dispose]();
    this.#roots.delete(key);
  }

  async #openChannel(facts: TerminalFacts, uri: string): Promise<TerminalChannel> {
    const { id } = facts;
    const known = this.#channels.get(id);
    if (known && this.#belongsTo(known, facts)) return known;
    known?.retire();
    const opening = this.#opening.get(id) ?? this.#open(id);
    this.#opening.set(id, opening);
    try {
      return await opening;
    } catch (error) {
      const isUnknown = error instanceof NacreError && error.code === "terminal_not_found";
      throw isUnknown ? channelNotFound(uri) : error;
    } finally {
      if (this.#opening.get(id) === opening) this.#opening.delete(id);
    }
  }

  async #open(id: TerminalId): Promise<TerminalChannel> {
    const { operations } = this.#deps;
    const countViewers = (): number => this.#channels.get(id)?.viewers ?? 0;
    const open = (after?: number): ReturnType<typeof openSource> =>
      openSource(operations, { id, context: READER, after, countViewers });
    const source = await open();
    const { createdAt } = source.facts;
    const reopen = async (after: number): Promise<typeof source> => {
      const again = await open(after);
      if (again.facts.createdAt === createdAt) return again;
      // Another terminal has the id by now, perhaps somebody else's.
      again[Symbol.dispose]();
      throw new NacreError("terminal_not_found", `there is no ${id} of ${createdAt}`);
    };
    if (this.#isDisposed) {
      source[Symbol.dispose]();
      throw stopping();
    }
    const channel = new TerminalChannel({
      source,
      numbers: this.#numbers,
      clients: this.clients,
      limits: this.#limits,
      maxHistoryBytes: () => this.#historyShare,
      reopen,
      handleEnd: (ended) => {
        if (this.#channels.get(id) === ended) this.#channels.delete(id);
      },
      handleProblem: this.#deps.handleProblem,
    });
    this.#channels.set(id, channel);
    this.#createdAt.set(channel, createdAt);
    for (const other of this.#channels.values()) other.trim();
    // From here on the list reports its end; it may be gone already.
    const facts = this.#all.find(ownUriOf(id));
    if (!facts || !this.#belongsTo(channel, facts)) channel.retire();
    return channel;
  }

  /** Per channel, so that all together stay within bounds. */
  get #historyShare(): number {
    const { historyBytes, allHistoryBytes, leastHistoryBytes } = this.#limits;
    const share = allHistoryBytes / Math.max(1, this.#channels.size);
    return Math.min(historyBytes, Math.max(leastHistoryBytes, share));
  }

  /** Not one that had its id before. */
  #belongsTo(channel: TerminalChannel, { id, createdAt }: TerminalFacts): boolean {
    return channel.terminalId === id && this.#createdAt.get(channel) === createdAt;
  }

  #dropGone(terminals: readonly TerminalFacts[]): void {
    if (this.#channels.size === 0) return;
    const listed = new Map(terminals.map((facts) => [facts.id, facts]));
    for (const [id, channel] of this.#channels) {
      const facts = listed.get(id);
      if (!facts || !this.#belongsTo(channel, facts)) channel.retire();
    }
  }
}

const ALL = "all";

/** Equal for callers that see the same terminals. */
function visibilityKey({ scope, owner }: Caller): string {
  if (scope !== "agent") return ALL;
  return JSON.stringify([owner?.entityName, owner?.entityId]);
}

const stopping = (): NacreError => new NacreError("unavailable", "the host is stopping");
