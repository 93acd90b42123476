// Terminals that a test writes by hand, behind the operations that channels use, and connections that keep what they are told.
import { type Caller, CallerId, ClientId, type TerminalId } from "@nacre/contracts";
import type { CallContext } from "../../../../operations/call-context.ts";
import type { TerminalFacts } from "../../../../operations/terminal-listing.ts";
import type { Action } from "../../protocol/action.ts";
import { AgentHost, type AgentHostDeps } from "../agent-host.ts";
import type { ChannelLimits, Subscriber } from "../channel.ts";
import type { Audience, Envelope, Origin, RawAction } from "../envelope.ts";
import { type FakeTerminal, notFound } from "./fake-terminal.ts";

/** A host with terminals of a test. */
export class FakeHost implements Disposable {
  readonly terminals = new Map<TerminalId, FakeTerminal>();
  readonly problems: unknown[] = [];
  readonly agentHost: AgentHost;
  /** Awaited by everybody who opens a terminal. */
  beforeOpening: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(limits: Partial<ChannelLimits> = {}, terminals: readonly FakeTerminal[] = []) {
    this.agentHost = new AgentHost({
      operations: this.#operations(),
      version: "1.2.3",
      limits,
      handleProblem: (error) => void this.problems.push(error),
    });
    for (const terminal of terminals) this.add(terminal);
  }

  add(terminal: FakeTerminal): void {
    this.terminals.set(terminal.facts.id, terminal);
    this.changed();
  }

  remove({ facts }: FakeTerminal): void {
    this.terminals.delete(facts.id);
    this.changed();
  }

  /** Says that something about the list may have changed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  [Symbol.dispose](): void {
    this.agentHost[Symbol.dispose]();
    for (const terminal of this.terminals.values()) terminal.wake();
  }

  #operations(): AgentHostDeps["operations"] {
    // Channels use no more than this of what operations give them.
    return {
      attach: async (id: TerminalId, options: { after?: number | undefined }) => {
        await this.beforeOpening;
        const terminal = this.terminals.get(id);
        if (!terminal) throw notFound();
        return terminal.open(options);
      },
      terminals: ({ caller }: CallContext) => ({
        list: () => this.#listFor(caller),
        find: (id: TerminalId) => this.#listFor(caller).find((facts) => facts.id === id),
        onChange: (listener: () => void) => {
          this.#listeners.add(listener);
          return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
        },
        [Symbol.dispose]: () => undefined,
      }),
    } as unknown as AgentHostDeps["operations"];
  }

  #listFor({ scope, owner }: Caller): TerminalFacts[] {
    const all = [...this.terminals.values()].map(({ facts }) => facts);
    return scope === "agent"
      ? all.filter((facts) => facts.owner.entityId === owner?.entityId)
      : all;
  }
}

/** A connection that keeps everything it is told. */
export class Listener implements Subscriber {
  readonly audience: Audience;
  readonly clientId: ClientId;
  readonly context: CallContext;
  readonly told: { readonly envelope: Envelope; readonly channel: string }[] = [];
  /** Channels of which it may have something wrong. */
  readonly doubts: string[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(name = "olga", more: Partial<Audience> & { readonly scope?: Caller["scope"] } = {}) {
    const callerId = more.callerId ?? CallerId.parse(name);
    this.audience = { shape: more.shape ?? "lifecycle", callerId };
    this.clientId = ClientId.parse(`${callerId}#window`);
    const owner = { entityName: "Agent", entityId: name };
    const caller = {
      id: callerId,
      clientId: this.clientId,
      scope: more.scope ?? "operator",
      owner,
    };
    this.context = { caller, via: "ahp" };
  }

  get actions(): (Action | RawAction)[] {
    return this.told.map(({ envelope }) => envelope.action);
  }

  /** The messages, as they would be sent. */
  get messages(): Record<string, unknown>[] {
    return this.told.map(
      ({ envelope, channel }) =>
        (
          JSON.parse(envelope.frame(this.audience, channel).toString()) as {
            params: Record<string, unknown>;
          }
        ).params,
    );
  }

  origin(clientSeq: number): Origin {
    return { clientId: this.clientId, clientSeq };
  }

  offer(envelope: Envelope, channel: string): void {
    this.told.push({ envelope, channel });
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  markStale(channel: string): void {
    this.doubts.push(channel);
  }

  /** Resolves when it was told this many envelopes. */
  async until(count: number): Promise<void> {
    while (this.told.length < count) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }
}
