import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import { type Subscriber, Subscribers } from "./channel.ts";
import type { Clients } from "./clients.ts";
import { Envelope, type Origin, type RawAction, type ServerSeq } from "./envelope.ts";
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

interface RejectedActionPlace extends ActionPlace {
  readonly origin: Origin;
}

interface Rejection {
  readonly reason: string;
  readonly uri: string;
}

/** Numbers the actions of one terminal, keeps them for reconnecting clients, and tracks the published state. */
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
    const { numbers, uri } = this.#deps;
    const serverSeq = numbers.next();
    const envelope = new Envelope({ serverSeq, channel: uri, sequence, action, origin });
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
    const { numbers, uri } = this.#deps;
    const serverSeq = numbers.next();
    const about = { serverSeq, channel: uri, sequence, origin, isOwn: true };
    this.#deps.clients
      .find(to.clientId)
      ?.publish(new Envelope({ ...about, action }), (connection) =>
        this.subscribers.namesOf(connection),
      );
  }

  /** Rejects under the name it was dispatched to, then publishes what is true instead. */
  reject(
    action: RawAction,
    { sequence, origin }: RejectedActionPlace,
    { reason, uri }: Rejection,
  ): void {
    const { numbers, clients, uri: channel } = this.#deps;
    const about = { serverSeq: numbers.next(), channel, sequence, origin, isOwn: true };
    const envelope = new Envelope({ ...about, action, rejectionReason: reason });
    const client = clients.find(origin.clientId);
    // Many clients apply a rejected action; the content is sent anew after it.
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
    const { numbers, uri: channel } = this.#deps;
    const names = this.subscribers.namesOf(subscriber);
    for (const action of actions) {
      const serverSeq = numbers.next();
      const envelope = new Envelope({ serverSeq, channel, sequence, action, isOwn: true });
      for (const name of names) subscriber.offer(envelope, name);
    }
    return numbers.last;
  }
}
