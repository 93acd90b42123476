import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import { type Subscriber, Subscribers } from "./channel.ts";
import type { Clients } from "./clients.ts";
import { Envelope, type Origin, type RawAction, type ServerSeq } from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";
import { changesContent, correctiveAction, reducePublishedState } from "./published-state.ts";

export interface ActionLogDeps {
  readonly uri: string;
  /** What is known before anything is told, without the content. */
  readonly state: TerminalState;
  readonly numbers: ServerSeq;
  readonly clients: Clients;
  /** How many bytes of history may be kept now. */
  maxHistoryBytes(): number;
  readonly handleProblem: (error: unknown) => void;
}

/** What goes along with an action. */
interface ActionPlace {
  /** The entry that the terminal is at. */
  readonly sequence: number;
  readonly origin?: Origin | undefined;
}

interface RejectedActionPlace extends ActionPlace {
  readonly origin: Origin;
}

/** Why something was not done, and the name of the channel that it was dispatched to. */
interface Rejection {
  readonly reason: string;
  readonly uri: string;
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
    // A number of its own: whoever had all numbers before this may have missed what nobody numbered until now.
    this.history = new ActionHistory(deps.numbers.next(), () => deps.maxHistoryBytes());
    this.subscribers = new Subscribers(deps.handleProblem);
  }

  /** Everything that was told but the content, in the newest shape. */
  get state(): TerminalState {
    return this.#state;
  }

  /** The last number given, on any channel. */
  get serverSeq(): number {
    return this.#deps.numbers.last;
  }

  /** Tells all. */
  publish(action: TerminalAction, { sequence, origin }: ActionPlace): void {
    this.#state = reducePublishedState(this.#state, action);
    const { numbers, uri } = this.#deps;
    const serverSeq = numbers.next();
    const envelope = new Envelope({ serverSeq, channel: uri, sequence, action, origin });
    this.history.push(envelope);
    this.subscribers.offer(envelope);
  }

  /** Tells all what was done as it was asked for, and then what is true where it was done in another way. */
  publishDone(action: TerminalAction, told: ActionPlace): void {
    const truth = correctiveAction(this.#state, action.type);
    this.publish(action, told);
    const isTrue =
      JSON.stringify(truth) === JSON.stringify(correctiveAction(this.#state, action.type));
    if (truth && !isTrue) this.publish(truth, { sequence: told.sequence });
  }

  /** Tells the connections of one client that follow the terminal. */
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

  /** Tells a client that its action was not done, by the name it was dispatched to, and then what is true instead. */
  reject(
    action: RawAction,
    { sequence, origin }: RejectedActionPlace,
    { reason, uri }: Rejection,
  ): void {
    const { numbers, clients, uri: channel } = this.#deps;
    const about = { serverSeq: numbers.next(), channel, sequence, origin, isOwn: true };
    const envelope = new Envelope({ ...about, action, rejectionReason: reason });
    const client = clients.find(origin.clientId);
    // Many clients apply what is rejected; what was shown is told anew behind it.
    if (changesContent(action))
      client?.markStale((connection) => this.subscribers.namesOf(connection));
    client?.publish(envelope, () => [uri]);
    const truth = correctiveAction(this.#state, action.type);
    if (truth) this.publishToClient(truth, { sequence }, origin);
  }

  /** Tells one connection alone, by every name it follows the terminal by, and keeps nothing of it; the last number given. */
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
