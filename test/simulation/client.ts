// Clients and the network between them and the daemon: requests and feeds that are late, cut, or half open.
import {
  type Caller,
  decodeBytes,
  NacreError,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  type TerminalFeedMessage,
  type TerminalId,
} from "@nacre/contracts";
import type { Host } from "../../packages/host/src/host.ts";
import type { RunningDaemon } from "./machine.ts";
import { SimProcess } from "./scheduler.ts";
import type { World } from "./world.ts";

/** What came of a request, where the answer arrived. */
export type Outcome<Name extends OperationName> =
  | { readonly value: OperationOutput<Name> }
  | { readonly error: NacreError };

/** What a client has of a terminal that it follows. */
export interface View {
  /** The last entry it has. */
  position: number;
  text: string;
  /** The feed is over because the terminal is. */
  isOver: boolean;
  /** The feed it has now. */
  feed: number;
}

/** A feed of a view; the view may have another by now. */
interface Following {
  readonly view: View;
  readonly feed: number;
}

/** How long a client waits before it follows again what broke. */
const FOLLOW_AGAIN_MS = 1000;

/** Messages that may be on their way to a client that does not fetch. */
const WINDOW_MESSAGES = 8;

/** A connection whose client is gone without a word is noticed after this. */
const HALF_OPEN_MS = 20_000;

/** An answer within this time means that the audit was not waited for in vain. */
const AUDITED_MS = 900;

/** All clients are on other machines, which nothing happens to. */
const OUTSIDE = new SimProcess();

/** One connection of a client, until it is cut. */
class Connection {
  readonly daemon: RunningDaemon;
  readonly host: Host;
  readonly abort = new AbortController();
  isCut = false;
  readonly #world: World;
  #arrivesAt = 0;
  #answersAt = 0;

  constructor(world: World, daemon: RunningDaemon, host: Host) {
    this.#world = world;
    this.daemon = daemon;
    this.host = host;
  }

  /** Something for the daemon; what is sent on one connection keeps its order. */
  send(run: () => void): void {
    const { scheduler } = this.#world;
    this.#arrivesAt = Math.max(this.#arrivesAt, scheduler.nowMs + this.#world.networkMs());
    const wait = this.#arrivesAt - scheduler.nowMs;
    scheduler.after(wait, () => void (this.isCut || run()), this.daemon.process);
  }

  /** Something for the client. */
  answer(run: () => void): void {
    const { scheduler } = this.#world;
    this.#answersAt = Math.max(this.#answersAt, scheduler.nowMs + this.#world.networkMs());
    const wait = this.#answersAt - scheduler.nowMs;
    scheduler.after(wait, () => void (this.isCut || run()), OUTSIDE);
  }
}

/** Somebody who uses terminals from afar. */
export class SimClient {
  readonly number: number;
  readonly caller: Caller;
  readonly views = new Map<TerminalId, View>();
  /** How many lines it typed, by terminal. */
  readonly typed = new Map<TerminalId, number>();
  /** The newest epoch it heard of. */
  readonly epochs = new Map<TerminalId, number>();
  readonly #world: World;
  #connection: Connection | undefined;
  #lastFeed = 0;

  constructor(world: World, number: number, caller: Caller) {
    this.#world = world;
    this.number = number;
    this.caller = caller;
  }

  get isConnected(): boolean {
    const connection = this.#connection;
    return connection !== undefined && connection.daemon === this.#world.machine.daemon;
  }

  /** Connects where somebody listens, and goes on with what it followed. */
  connect(): boolean {
    const { machine } = this.#world;
    const { daemon } = machine;
    if (this.isConnected || !daemon?.host) return false;
    const connection = new Connection(this.#world, daemon, daemon.host);
    this.#connection = connection;
    connection.send(() => connection.host.operations.clientBack(this.caller));
    for (const id of this.views.keys()) this.follow(id);
    return true;
  }

  /** The connection breaks; the daemon notices at once, or when it is half open much later. */
  cut(isHalfOpen: boolean): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    connection.isCut = true;
    const notice = (): void => {
      connection.abort.abort();
      connection.host.operations.clientGone(this.caller);
    };
    const delayMs = isHalfOpen ? HALF_OPEN_MS : this.#world.networkMs();
    this.#world.scheduler.after(delayMs, notice, connection.daemon.process);
  }

  /** Asks for an operation; `handleOutcome` is called when an answer arrives, which may be never. */
  call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    handleOutcome: (outcome: Outcome<Name>) => void = () => undefined,
  ): void {
    const connection = this.#connection;
    if (!connection || !this.isConnected) return;
    const { model, checks, scheduler } = this.#world;
    const id: unknown = Reflect.get(input, "id");
    const deed = OPERATIONS[name].mutates
      ? model.deed(this.caller.id, name, typeof id === "string" ? id : "")
      : undefined;
    if (deed) deed.most++;
    const sentAt = scheduler.nowMs;
    const { powerCuts } = this.#world;
    const { lostRecorders } = model;
    const { signal } = connection.abort;
    connection.send(() => {
      const context = { caller: this.caller, via: "http", signal } as const;
      connection.host.operations.call(name, input, context).then(
        (value) =>
          connection.answer(() => {
            const isSoon = scheduler.nowMs - sentAt < AUDITED_MS;
            const isSafe =
              powerCuts === this.#world.powerCuts && lostRecorders === model.lostRecorders;
            if (deed && isSoon && isSafe) deed.least++;
            handleOutcome({ value });
          }),
        (error: unknown) => {
          const isKnown = error instanceof NacreError && error.code !== "internal";
          checks.always(
            "failures are told in known words",
            isKnown,
            () => `${name}: ${stackOf(error)}`,
          );
          if (error instanceof NacreError) connection.answer(() => handleOutcome({ error }));
        },
      );
    });
  }

  /** Follows a terminal, from where it left it. */
  follow(id: TerminalId): void {
    const connection = this.#connection;
    if (!connection || !this.isConnected) return;
    const known = this.views.get(id);
    const view = known ?? { position: 0, text: "", isOver: false, feed: 0 };
    view.feed = ++this.#lastFeed;
    this.views.set(id, view);
    const after = view.position > 0 ? { after: view.position + this.#world.resumeError } : {};
    this.#world.checks.sometimes("feedResumed", view.position > 0);
    const { feed } = view;
    connection.send(() => {
      this.#pump(connection, { id, ...after }, { view, feed }).catch((error: unknown) => {
        const isKnown = error instanceof NacreError && error.code !== "internal";
        this.#world.checks.always("feeds end in known words", isKnown, () => stackOf(error));
        const isGone = error instanceof NacreError && error.code === "terminal_not_found";
        if (!isGone) connection.answer(() => this.#followAgain(id, { view, feed }));
      });
    });
  }

  /** Leaves a terminal. */
  unfollow(id: TerminalId): void {
    this.views.delete(id);
  }

  /** A feed that broke is followed again a little later, as clients do. */
  #followAgain(id: TerminalId, { view, feed }: Following): void {
    const isMeant = (): boolean => this.views.get(id) === view && view.feed === feed;
    this.#world.scheduler.after(
      FOLLOW_AGAIN_MS,
      () => void (isMeant() && this.follow(id)),
      OUTSIDE,
    );
  }

  /** In the daemon: fetches for the client what it has room for. */
  async #pump(
    connection: Connection,
    input: { readonly id: TerminalId; readonly after?: number },
    { view, feed: number }: Following,
  ): Promise<void> {
    const { model, machine } = this.#world;
    const context = { caller: this.caller, via: "http", signal: connection.abort.signal } as const;
    using feed = await connection.host.operations.follow("terminalFeed", input, context);
    let waiting = 0;
    let wake: (() => void) | undefined;
    for await (const message of feed) {
      if (message.kind === "entry") model.show(input.id, message.entry, machine.image);
      waiting++;
      connection.answer(() => {
        if (view.feed === number) this.#take(input.id, view, message);
        connection.send(() => {
          waiting--;
          wake?.();
        });
      });
      while (waiting >= WINDOW_MESSAGES && !connection.abort.signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          connection.abort.signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    }
    if (!connection.abort.signal.aborted) connection.answer(() => void (view.isOver = true));
  }

  #take(id: TerminalId, view: View, message: TerminalFeedMessage): void {
    const { checks, model } = this.#world;
    const name = (): string => `client ${this.number}, terminal ${model.terminal(id).number}`;
    if (message.kind === "snapshot") {
      const { sequence, content = "" } = message.screen;
      checks.always(
        "I2 a viewer never goes back",
        sequence >= view.position,
        () => `${name()}: ${sequence} after ${view.position}`,
      );
      checks.sometimes("feedSkipped", view.position > 0);
      view.position = sequence;
      view.text = content;
      return;
    }
    const { entry } = message;
    checks.always(
      "I2 a viewer gets each entry once",
      entry.sequence === view.position + 1,
      () => `${name()}: ${entry.sequence} after ${view.position}`,
    );
    view.position = entry.sequence;
    if (entry.type === "claim") this.epochs.set(id, entry.epoch);
    if (entry.type === "clear") view.text = "";
    if (entry.type === "output" && entry.data !== undefined) {
      view.text += Buffer.from(
        decodeBytes({ data: entry.data, encoding: entry.encoding }),
      ).toString("latin1");
    }
  }
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
