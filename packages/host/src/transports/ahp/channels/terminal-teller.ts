import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalState } from "../protocol/state.ts";
import type { Subscriber } from "./channel.ts";
import type { Clients } from "./clients.ts";
import { Envelope, type Origin, type RawAction } from "./envelope.ts";
import { History } from "./history.ts";
import type { Numbers } from "./numbers.ts";
import { Subscribers } from "./subscribers.ts";
import { afterTold, changesContent, truthOf } from "./told-state.ts";

/** What a teller is made of. */
export interface TerminalTellerParts {
  readonly uri: string;
  /** What is known before anything is told, without the content. */
  readonly state: TerminalState;
  readonly numbers: Numbers;
  readonly clients: Clients;
  /** How many bytes of history may be kept now. */
  maxHistoryBytes(): number;
  readonly handleProblem: (error: unknown) => void;
}

/** What goes along with an action. */
interface Told {
  /** The entry that the terminal is at. */
  readonly sequence: number;
  readonly origin?: Origin | undefined;
}

interface Rejected extends Told {
  readonly origin: Origin;
}

/** Why something was not done, and the name of the channel that it was dispatched to. */
interface Rejection {
  readonly reason: string;
  readonly uri: string;
}

/** Tells the actions of one terminal: numbers them, keeps them for who comes back, and knows what was told. */
export class TerminalTeller {
  readonly history: History;
  readonly subscribers: Subscribers;
  readonly #parts: TerminalTellerParts;
  #state: TerminalState;

  constructor(parts: TerminalTellerParts) {
    this.#parts = parts;
    this.#state = parts.state;
    // A number of its own: whoever had all numbers before this may have missed what nobody numbered until now.
    this.history = new History(parts.numbers.next(), () => parts.maxHistoryBytes());
    this.subscribers = new Subscribers(parts.handleProblem);
  }

  /** Everything that was told but the content, in the newest shape. */
  get state(): TerminalState {
    return this.#state;
  }

  /** The last number given, on any channel. */
  get serverSeq(): number {
    return this.#parts.numbers.last;
  }

  /** Tells all. */
  tell(action: TerminalAction, { sequence, origin }: Told): void {
    this.#state = afterTold(this.#state, action);
    const { numbers, uri } = this.#parts;
    const serverSeq = numbers.next();
    const envelope = new Envelope({ serverSeq, channel: uri, sequence, action, origin });
    this.history.push(envelope);
    this.subscribers.offer(envelope);
  }

  /** Tells all what was done as it was asked for, and then what is true where it was done in another way. */
  tellDone(action: TerminalAction, told: Told): void {
    const truth = truthOf(this.#state, action.type);
    this.tell(action, told);
    const isTrue = JSON.stringify(truth) === JSON.stringify(truthOf(this.#state, action.type));
    if (truth && !isTrue) this.tell(truth, { sequence: told.sequence });
  }

  /** Tells the connections of one client that follow the terminal. */
  tellClient(action: TerminalAction, { sequence, origin }: Told, to: Origin): void {
    const { numbers, uri } = this.#parts;
    const serverSeq = numbers.next();
    const about = { serverSeq, channel: uri, sequence, origin, isOwn: true };
    this.#parts.clients
      .find(to.clientId)
      ?.tell(new Envelope({ ...about, action }), (connection) =>
        this.subscribers.namesOf(connection),
      );
  }

  /** Tells a client that its action was not done, by the name it was dispatched to, and then what is true instead. */
  reject(action: RawAction, { sequence, origin }: Rejected, { reason, uri }: Rejection): void {
    const { numbers, clients, uri: channel } = this.#parts;
    const about = { serverSeq: numbers.next(), channel, sequence, origin, isOwn: true };
    const envelope = new Envelope({ ...about, action, rejectionReason: reason });
    const client = clients.find(origin.clientId);
    // Many clients apply what is rejected; what was shown is told anew behind it.
    if (changesContent(action)) client?.doubt((connection) => this.subscribers.namesOf(connection));
    client?.tell(envelope, () => [uri]);
    const truth = truthOf(this.#state, action.type);
    if (truth) this.tellClient(truth, { sequence }, origin);
  }

  /** Tells one connection alone, by every name it follows the terminal by, and keeps nothing of it; the last number given. */
  tellOne(subscriber: Subscriber, actions: readonly TerminalAction[], sequence: number): number {
    const { numbers, uri: channel } = this.#parts;
    const names = this.subscribers.namesOf(subscriber);
    for (const action of actions) {
      const serverSeq = numbers.next();
      const envelope = new Envelope({ serverSeq, channel, sequence, action, isOwn: true });
      for (const name of names) subscriber.offer(envelope, name);
    }
    return numbers.last;
  }
}
