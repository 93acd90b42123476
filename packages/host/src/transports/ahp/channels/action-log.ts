import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import { type Subscriber, Subscribers } from "./channel.ts";
import type { Clients } from "./clients.ts";
import {
  Envelope,
  type EnvelopeFields,
  type Origin,
  type RawAction,
  type ServerSeq,
} from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";
import { changesContent, correctiveAction, reducePublishedState } from "./published-state.ts";

export interface ActionLogDeps {
  readonly uri: string;
  /** Before any action, without content. */
  readonly state: TerminalState;
  readonly numbers: ServerSeq;
  readonly clients: Clients;
  maxHistoryBytes(): number;
  readonly handleProblem: (error: unknown) => void;
}

interface ActionPlace {
  /** The terminal's newest entry. */
  readonly sequence: number;
  readonly origin?: Origin | undefined;
}

/** Tells the actions of one terminal: numbers them, keeps them for who comes back, and knows what was told. */
export class ActionLog {
  readonly history: ActionHistory;
  readonly subscribers: Subscribers;
  readonly #deps: ActionLogDeps;
  #state: TerminalState;

  constructor(deps: ActionLogDeps) {
    this.#deps = deps;
    this.#state = deps.state;
    // Takes a number: a client with all earlier numbers may have missed what nobody numbered until now.
    this.history = new ActionHistory(deps.numbers.next(), () => deps.maxHistoryBytes());
    this.subscribers = new Subscribers(deps.handleProblem);
  }

  /** Without content, in the newest shape. */
  get state(): TerminalState {
    return this.#state;
  }

  /** On any channel. */
  get serverSeq(): number {
    return this.#deps.numbers.last;
  }

  /** To all subscribers. */
  publish(action: TerminalAction, { sequence, origin }: ActionPlace): void {
    this.#state = reducePublishedState(this.#state, action);
    const envelope = this.#envelope({ sequence, action, origin });
    this.history.push(envelope);
    this.subscribers.offer(envelope);
  }

  /** Publishes the action as requested, then a correction where the outcome differs. */
  publishDone(action: TerminalAction, told: ActionPlace): void {
    const truth = correctiveAction(this.#state, action.type);
    this.publish(action, told);
    const isTrue =
      JSON.stringify(truth) === JSON.stringify(correctiveAction(this.#state, action.type));
    if (truth && !isTrue) this.publish(truth, { sequence: told.sequence });
  }

  /** Only to the connections of one client that follow the terminal. */
  publishToClient(action: TerminalAction, { sequence, origin }: ActionPlace, to: Origin): void {
    const envelope = this.#envelope({ sequence, action, origin, isOwn: true });
    const client = this.#deps.clients.find(to.clientId);
    client?.publish(envelope, (connection) => this.subscribers.namesOf(connection));
  }

  /** Rejects under the name it was dispatched to, then publishes what is true instead. */
  reject(
    action: RawAction,
    { sequence, origin }: ActionPlace & { readonly origin: Origin },
    { reason: rejectionReason, uri }: { readonly reason: string; readonly uri: string },
  ): void {
    const envelope = this.#envelope({ sequence, origin, isOwn: true, action, rejectionReason });
    const client = this.#deps.clients.find(origin.clientId);
    // Many clients apply what is rejected; what was shown is told anew behind it.
    if (changesContent(action))
      client?.markStale((connection) => this.subscribers.namesOf(connection));
    client?.publish(envelope, () => [uri]);
    const truth = correctiveAction(this.#state, action.type);
    if (truth) this.publishToClient(truth, { sequence }, origin);
  }

  /** To one connection, under every name it follows the terminal by; not kept. Returns the last number. */
  publishToSubscriber(
    subscriber: Subscriber,
    actions: readonly TerminalAction[],
    sequence: number,
  ): number {
    const names = this.subscribers.namesOf(subscriber);
    for (const action of actions) {
      const envelope = this.#envelope({ sequence, action, isOwn: true });
      for (const name of names) subscriber.offer(envelope, name);
    }
    return this.serverSeq;
  }

  #envelope(fields: Omit<EnvelopeFields, "serverSeq" | "channel">): Envelope {
    const { numbers, uri } = this.#deps;
    return new Envelope({ serverSeq: numbers.next(), channel: uri, ...fields });
  }
}
