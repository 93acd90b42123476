import { randomUUID } from "node:crypto";
import {
  type Action,
  type Envelope,
  type RootState,
  type Snapshot,
  type TerminalState,
  textOf,
} from "./ahp-mirror.ts";
import { Mirrors } from "./ahp-mirrors.ts";
import { type ConnectionOptions, type Message, RpcConnection } from "./rpc-connection.ts";

/** The root channel. */
export const ROOT = "ahp-root://";

/** What a test offers when the version does not matter. */
const NEWEST_VERSION = "1.0.0";

/** How a client connects. */
export interface AhpClientOptions extends ConnectionOptions {
  /** Its name in claims; one that nobody else has when absent. */
  readonly clientId?: string;
  /** What it knows from earlier connections. */
  readonly mirrors?: Mirrors;
}

/** What `initialize` answers. */
export interface Initialized {
  readonly protocolVersion: string;
  readonly serverSeq: number;
  readonly snapshots: readonly Snapshot[];
}

/** What `reconnect` answers. */
export interface Reconnected {
  readonly type: "replay" | "snapshot";
  readonly actions?: readonly Envelope[];
  readonly missing?: readonly string[];
  readonly snapshots?: readonly Snapshot[];
}

/** What `reconnect` is asked with; the client's own cursor when none is said. */
export interface ReconnectParams {
  readonly lastSeenServerSeq?: number;
  readonly subscriptions: readonly string[];
  readonly windows?: unknown;
}

/** A snapshot beside what the mirror said when it came. */
export interface Comparison<State> {
  readonly mirrored: State;
  readonly fresh: State;
}

let clients = 0;

/** A connected client of the Agent Host Protocol. Its mirrors follow every channel it subscribed to, exactly as messages come. */
export class AhpClient extends RpcConnection {
  readonly clientId: string;
  readonly mirrors: Mirrors;
  /** Every action that came live, in order, since the beginning or since `forget`; a replay is in the answer to `reconnect`. */
  readonly envelopes: Envelope[] = [];
  /** Is told each live action once the mirrors have it. */
  handleEnvelope: (envelope: Envelope) => void = () => undefined;
  #nextSeq = 1;

  constructor(url: string, { clientId, mirrors, ...options }: AhpClientOptions = {}) {
    super(url, options);
    clients += 1;
    this.clientId = clientId ?? `client-${process.pid}-${clients}`;
    this.mirrors = mirrors ?? new Mirrors();
  }

  /** Opens a connection without a handshake; rejects with the status of a refused one. */
  static async open(url: string, options: AhpClientOptions = {}): Promise<AhpClient> {
    const client = new AhpClient(url, options);
    await client.untilOpen();
    return client;
  }

  /** Sends a request on the root channel unless params have another, and takes in the states of its answer. */
  override async ask(
    method: string,
    params: object = {},
    handleAnswer: (answer: Message) => void = () => undefined,
  ): Promise<Message> {
    return await super.ask(method, { channel: ROOT, ...params }, (answer) => {
      handleAnswer(answer);
      if (answer.error === undefined) this.mirrors.absorb(answer.result);
    });
  }

  /** Shakes hands, by default in the newest version and without subscriptions. */
  async initialize(params: object = {}): Promise<Initialized> {
    const { clientId } = this;
    const all = { protocolVersions: [NEWEST_VERSION], clientId, ...params };
    return (await this.request("initialize", all)) as Initialized;
  }

  /** Takes up what an earlier connection of the same client left. */
  async reconnect(params: ReconnectParams): Promise<Reconnected> {
    const { lastSeenServerSeq } = this.mirrors;
    const all = { clientId: this.clientId, lastSeenServerSeq, ...params };
    return (await this.request("reconnect", all)) as Reconnected;
  }

  /** Subscribes to a channel; its mirror begins with the snapshot. */
  async subscribe(channel: string, params: object = {}): Promise<Snapshot> {
    const result = await this.request("subscribe", { channel, ...params });
    return (result as { readonly snapshot: Snapshot }).snapshot;
  }

  /** Subscribes to a terminal; resolves with its state as of the answer. */
  async watch(channel: string): Promise<TerminalState> {
    return (await this.subscribe(channel)).state as TerminalState;
  }

  /** Subscribes once more to a channel that is mirrored, and resolves with both states as of the answer. */
  async compare<State extends TerminalState | RootState = TerminalState>(
    channel: string,
  ): Promise<Comparison<State>> {
    // Answers and actions come in one row, so before the answer the mirror had everything that the snapshot has.
    let mirrored: TerminalState | RootState | undefined;
    const { result } = await this.ask("subscribe", { channel }, () => {
      mirrored = this.mirrors.find(channel);
    });
    const fresh = (result as { readonly snapshot: Snapshot }).snapshot.state;
    return { mirrored: mirrored as State, fresh: fresh as State };
  }

  unsubscribe(channel: string): void {
    this.notify("unsubscribe", { channel });
  }

  /** Dispatches an action and returns the number that its origin will have. */
  dispatch(channel: string, action: object, clientSeq = this.#nextSeq++): number {
    this.notify("dispatchAction", { channel, clientSeq, action });
    return clientSeq;
  }

  /** Types into a terminal; returns the number of the dispatch. */
  type(channel: string, data: string): number {
    return this.dispatch(channel, { type: "terminal/input", data });
  }

  /** Creates a terminal that this client claims; resolves with the result, which is null. */
  async createTerminal(channel: string, params: object = {}): Promise<unknown> {
    const claim = { kind: "client", clientId: this.clientId };
    return await this.request("createTerminal", { channel, claim, ...params });
  }

  /** Removes a terminal; resolves with the result, which is null. */
  async disposeTerminal(channel: string): Promise<unknown> {
    return await this.request("disposeTerminal", { channel });
  }

  /** The mirror of a terminal that it subscribed to. */
  terminal(channel: string): TerminalState {
    return this.#stateOf(channel) as TerminalState;
  }

  /** The mirror of the root channel. */
  get root(): RootState {
    return this.#stateOf(ROOT) as RootState;
  }

  /** What the mirror of a terminal says. */
  text(channel: string): string {
    return textOf(this.terminal(channel).content);
  }

  /** All live envelopes of a channel. */
  envelopesOf(channel: string): readonly Envelope[] {
    return this.envelopes.filter((envelope) => envelope.channel === channel);
  }

  /** All live actions of a type on a channel, but for rejected ones. */
  actionsOf(channel: string, type: string): readonly Action[] {
    return this.envelopesOf(channel)
      .filter(({ rejectionReason }) => rejectionReason === undefined)
      .flatMap(({ action }) => (action.type === type ? action : []));
  }

  /** Resolves with the first live envelope, past or future, that is wanted. */
  async untilEnvelope(isWanted: (envelope: Envelope) => boolean): Promise<Envelope> {
    let found: Envelope | undefined;
    let looked = 0;
    const look = (): boolean => {
      for (; looked < this.envelopes.length && !found; looked++) {
        const envelope = this.envelopes[looked];
        if (envelope && isWanted(envelope)) found = envelope;
      }
      return found !== undefined;
    };
    await this.until(look, `an envelope for which ${isWanted.toString()}`);
    return found as unknown as Envelope;
  }

  /** Resolves with the echo or the rejection of what this client dispatched under a number. */
  async untilOwn(clientSeq: number): Promise<Envelope> {
    const { clientId } = this;
    return await this.untilEnvelope(
      ({ origin }) => origin?.clientId === clientId && origin.clientSeq === clientSeq,
    );
  }

  /** Resolves with the first envelope of a type on a channel. */
  async untilAction(channel: string, type: string): Promise<Envelope> {
    return await this.untilEnvelope((envelope) => {
      const { action, rejectionReason } = envelope;
      return envelope.channel === channel && action.type === type && rejectionReason === undefined;
    });
  }

  /** Resolves when the mirror of a terminal says this. */
  async untilText(channel: string, text: string): Promise<void> {
    const what = `${JSON.stringify(text)} on ${channel}`;
    await this.until(() => this.text(channel).includes(text), what);
  }

  override forget(): void {
    super.forget();
    this.envelopes.length = 0;
  }

  protected override handleNotification(method: string, params: unknown): void {
    if (method !== "action") return;
    const envelope = params as Envelope;
    this.envelopes.push(envelope);
    this.mirrors.apply(envelope);
    this.handleEnvelope(envelope);
  }

  #stateOf(channel: string): TerminalState | RootState {
    const state = this.mirrors.find(channel);
    if (!state) throw new Error(`${this.clientId} does not follow ${channel}`);
    return state;
  }
}

/** A channel that nobody has. */
export const ownChannel = (): string => `ahp-terminal:/${randomUUID()}`;
