// Connections to terminals that a test writes by hand, and clients that keep mirrors as real ones do.
import { CallerId, NacreError, type TerminalId } from "@nacre/contracts";
import type { AttachmentWriteOptions } from "../../../../operations/attachment.ts";
import type { TerminalFacts } from "../../../../operations/terminal-listing.ts";
import type { ChannelLimits } from "../../channels/channel.ts";
import { FakeHost } from "../../channels/testing/fake-host.ts";
import { FakeTerminal } from "../../channels/testing/fake-terminal.ts";
import type { TerminalAction } from "../../protocol/action.ts";
import { reduceTerminal } from "../../protocol/reducer.ts";
import type { TerminalState } from "../../protocol/state.ts";
import { AhpConnection, type AhpConnectionDeps } from "../ahp-connection.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import { FakeWire, type Message } from "./fake-wire.ts";

/** An envelope as a client reads it. */
interface ReadEnvelope {
  readonly channel: string;
  readonly serverSeq: number;
  readonly action: TerminalAction;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

interface ReadSnapshot {
  readonly resource: string;
  readonly state: TerminalState;
  readonly fromSeq: number;
}

/** What answers have that mirrors are made of. */
interface ReadResult {
  readonly snapshot?: ReadSnapshot;
  readonly snapshots?: readonly ReadSnapshot[];
  readonly actions?: readonly ReadEnvelope[];
}

/** What a client knows, over all its connections. */
class Mirrors {
  readonly states = new Map<string, TerminalState>();
  readonly envelopes: ReadEnvelope[] = [];
  lastSeen = 0;
  /** What came out of order or twice. */
  readonly faults: string[] = [];

  take(params: unknown): void {
    const envelope = params as ReadEnvelope;
    if (envelope.serverSeq <= this.lastSeen) {
      this.faults.push(`${envelope.serverSeq} after ${this.lastSeen}`);
    }
    this.lastSeen = envelope.serverSeq;
    this.envelopes.push(envelope);
    const state = this.states.get(envelope.channel);
    if (!state || envelope.rejectionReason !== undefined) return;
    this.states.set(envelope.channel, reduceTerminal(state, envelope.action, "lifecycle"));
  }

  takeResult(result: unknown): void {
    const { snapshot, snapshots = [], actions = [] } = (result ?? {}) as ReadResult;
    for (const { resource, state, fromSeq } of [...(snapshot ? [snapshot] : []), ...snapshots]) {
      this.states.set(resource, state);
      this.lastSeen = Math.max(this.lastSeen, fromSeq);
    }
    for (const envelope of actions) this.take(envelope);
  }
}

const CALLER = { id: CallerId.parse("olga"), scope: "operator" } as const;

/** A host whose terminals do what a test says. */
export class Rig implements Disposable {
  readonly host: FakeHost;
  /** What was typed, resized and called, in order. */
  readonly done: string[] = [];
  /** How many connections clients had, each time the host was told of a change. */
  readonly presences: number[] = [];
  /** For how many turns of the event loop the program does not read. */
  full = 0;
  /** Thrown by every operation. */
  failure: Error | undefined;
  /** Awaited by every operation. */
  beforeCalling: Promise<void> | undefined;
  /** Awaited by every input. */
  beforeTyping: Promise<void> | undefined;
  attached = 0;
  readonly #limits: Partial<ConnectionLimits>;

  constructor(limits: Partial<ConnectionLimits> = {}, channels: Partial<ChannelLimits> = {}) {
    this.#limits = limits;
    this.host = new FakeHost(channels);
  }

  /** How many connections clients have, as the host was told. */
  get present(): number {
    return this.presences.at(-1) ?? 0;
  }

  /** Adds a terminal. */
  add(uid: string, more: Partial<TerminalFacts> = {}): FakeTerminal {
    const terminal = new FakeTerminal(uid, more);
    this.host.add(terminal);
    return terminal;
  }

  connect(name = "window", mirrors = new Mirrors()): Client {
    const wire = new FakeWire();
    const client = new Client(name, wire, mirrors);
    new AhpConnection({
      wire,
      agentHost: this.host.agentHost,
      operations: this.#operations(),
      admission: { caller: CALLER, peer: "test" },
      handleProblem: (error) => void this.host.problems.push(error),
      limits: this.#limits,
    });
    return client;
  }

  /** Ends it; a problem that nobody was told of fails the test. */
  [Symbol.dispose](): void {
    this.host[Symbol.dispose]();
    const { problems } = this.host;
    if (problems.length > 0) throw new AggregateError(problems, "something failed in the host");
  }

  #operations(): AhpConnectionDeps["operations"] {
    const find = (id: TerminalId): FakeTerminal | undefined => this.host.terminals.get(id);
    // Connections use no more than this of what operations give them.
    return {
      clientBack: () => void this.presences.push(this.present + 1),
      clientGone: () => void this.presences.push(this.present - 1),
      terminals: () => ({ find: (id: TerminalId) => find(id)?.facts, [Symbol.dispose]: () => 0 }),
      attach: async (id: TerminalId) => {
        this.attached++;
        return {
          write: (bytes: Buffer, options: AttachmentWriteOptions) => this.#write(bytes, options),
          resize: async (size: { cols: number; rows: number }) => {
            this.done.push(`resize ${size.cols}×${size.rows}`);
            find(id)?.append({ type: "resize", ...size });
            return size;
          },
          [Symbol.dispose]: () => void this.attached--,
        };
      },
      call: async (name: string, input: object) => {
        await this.beforeCalling;
        if (this.failure) throw this.failure;
        this.done.push(`${name} ${JSON.stringify(input)}`);
        return { name, input };
      },
    } as unknown as AhpConnectionDeps["operations"];
  }

  async #write(bytes: Buffer, { whenFull, handleTyped }: AttachmentWriteOptions): Promise<void> {
    await this.beforeTyping;
    for (; this.full > 0; this.full--) {
      if (!whenFull || whenFull.signal?.aborted) {
        throw new NacreError("input_queue_full", "nobody reads");
      }
      await new Promise(setImmediate);
    }
    this.done.push(`type ${bytes.toString()}`);
    handleTyped?.(bytes.toString() === "secret");
  }
}

/** A client of the rig. */
export class Client {
  readonly name: string;
  readonly wire: FakeWire;
  readonly mirrors: Mirrors;
  readonly answers: Message[] = [];
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  #lastId = 0;

  constructor(name: string, wire: FakeWire, mirrors: Mirrors) {
    this.name = name;
    this.wire = wire;
    this.mirrors = mirrors;
    wire.handleRead = (text) => this.#read(JSON.parse(text) as Message);
  }

  /** Asks for something; resolves with the whole answer. */
  request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.set(id, resolve);
    this.wire.say({ jsonrpc: "2.0", id, method, params: { channel: "ahp-root://", ...params } });
    return promise;
  }

  notify(method: string, params: object): void {
    this.wire.say({ jsonrpc: "2.0", method, params });
  }

  initialize(more: object = {}): Promise<Message> {
    const params = { protocolVersions: ["1.0.0"], clientId: this.name, ...more };
    return this.request("initialize", params);
  }

  dispatch(channel: string, clientSeq: number, action: object): void {
    this.notify("dispatchAction", { channel, clientSeq, action });
  }

  /** The connection is gone; what was not read is lost. */
  vanish(): void {
    this.wire.handleRead = () => undefined;
    this.wire.vanish();
  }

  #read(message: Message): void {
    if (message.method !== undefined) this.mirrors.take(message.params);
    else {
      this.answers.push(message);
      this.mirrors.takeResult(message.result);
      this.#waiting.get(message.id)?.(message);
    }
  }
}

/** Lets everything happen that is under way. */
export async function settle(turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
