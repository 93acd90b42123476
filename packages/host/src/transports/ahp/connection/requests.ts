import { NacreError, type OperationName } from "@nacre/contracts";
import { requesterOf } from "../../../operations/call-context.ts";
import { parseParams, SubscribeParams } from "../protocol/params.ts";
import { unsupportedRequest } from "./absent-requests.ts";
import type { Responder } from "./answering.ts";
import type { KeyedQueue } from "./chains.ts";
import { ChannelOpener, normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { callOperation, hasLargeAnswer, parseOperation } from "./extension-requests.ts";
import { disposeTerminal, planCreation } from "./terminal-requests.ts";
import { Semaphore } from "./turnstile.ts";

/** What a client whose handshake is done can ask for. */
export class ClientRequests {
  readonly #client: ConnectedClient;
  readonly #queue: KeyedQueue;
  readonly #opener: ChannelOpener;
  readonly #snapshots: Semaphore;
  readonly #reads: Semaphore;
  /** Terminals that are being created. */
  readonly #creating = new Map<string, Promise<void>>();
  #inProgress = 0;

  /** What is dispatched on a terminal that is being created waits in the same chains. */
  constructor(client: ConnectedClient, chains: KeyedQueue) {
    const { agentHost, context, limits } = client.parts;
    this.#client = client;
    this.#queue = chains;
    this.#opener = new ChannelOpener(agentHost, context, limits);
    this.#snapshots = new Semaphore(limits.snapshots);
    this.#reads = new Semaphore(limits.snapshots);
  }

  /** Answers a request, or throws why not. */
  async handle(method: string, params: unknown, reply: Responder): Promise<void> {
    const { requests: most } = this.#client.parts.limits;
    if (this.#inProgress >= most) {
      throw new NacreError("limit_reached", `${most} requests of this connection wait already`);
    }
    this.#inProgress++;
    try {
      await this.#answer(method, params, reply);
    } finally {
      this.#inProgress--;
    }
  }

  async #answer(method: string, params: unknown, reply: Responder): Promise<void> {
    const operation = parseOperation(method);
    if (method === "createTerminal") await this.#create(params, reply);
    else if (method === "subscribe") await this.#subscribe(params, reply);
    else if (method === "disposeTerminal") {
      await this.#created(params);
      await disposeTerminal(this.#client, this.#queue, params);
      reply(null);
    } else if (operation) {
      await this.#created(params);
      await this.#operate(operation, params, reply);
    } else if (method === "listSessions") reply({ items: [] });
    else throw unsupportedRequest(method);
  }

  /** Does an operation; answers of some megabytes are made a few at a time, when there is room for them. */
  async #operate(operation: OperationName, params: unknown, reply: Responder): Promise<void> {
    const call = async (): Promise<void> =>
      reply(await callOperation(this.#client, operation, params));
    if (!hasLargeAnswer(operation)) return await call();
    await this.#reads.run(async () => {
      await this.#client.parts.outbox.room();
      await call();
    });
  }

  async #subscribe(params: unknown, reply: Responder): Promise<void> {
    const uri = normalizeChannelUri(parseParams(SubscribeParams, params).channel);
    const { subscriptions, outbox } = this.#client.parts;
    using wish = subscriptions.addPending(uri);
    await this.#created(params);
    await this.#snapshots.run(async () => {
      await outbox.room();
      const channel = await this.#opener.open(uri);
      const requester = requesterOf(this.#client.parts.context);
      using prepared = await channel.prepare(uri, { requester });
      // From here on nothing waits, so that nothing can happen between the snapshot and what follows it.
      const snapshot = prepared.take(this.#client.audience);
      if (wish.isWanted) subscriptions.follow(uri, channel, prepared.isProvisional);
      this.#client.record.noteSnapshot(uri, snapshot.fromSeq);
      reply({ snapshot });
      subscriptions.noteSent();
    });
  }

  /** Who asks for a terminal may use it at once; why there is none is said in the first answer. */
  async #created(params: unknown): Promise<void> {
    const channel: unknown =
      typeof params === "object" && params !== null && "channel" in params && params.channel;
    if (typeof channel === "string") await this.#creating.get(channel)?.catch(() => undefined);
  }

  async #create(params: unknown, reply: Responder): Promise<void> {
    const { uri, run } = planCreation(this.#client, params);
    const creating = this.#queue.add(uri, run);
    this.#creating.set(uri, creating);
    try {
      await creating;
    } finally {
      if (this.#creating.get(uri) === creating) this.#creating.delete(uri);
    }
    reply(null);
  }
}
