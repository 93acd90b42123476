import { NacreError, type OperationName } from "@nacre/contracts";
import { requesterOf } from "../../../operations/call-context.ts";
import { parseParams, SubscribeParams } from "../protocol/params.ts";
import { refusalOf } from "./absent-requests.ts";
import type { Reply } from "./answering.ts";
import type { Chains } from "./chains.ts";
import { ChannelOpener, nameOf } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { callOperation, isLarge, operationOf } from "./extension-requests.ts";
import { disposeTerminal, planCreation } from "./terminal-requests.ts";
import { Turnstile } from "./turnstile.ts";

/** What a client whose handshake is done can ask for. */
export class Requests {
  readonly #client: ConnectedClient;
  readonly #chains: Chains;
  readonly #opener: ChannelOpener;
  readonly #snapshots: Turnstile;
  readonly #reads: Turnstile;
  /** Terminals that are being created. */
  readonly #creating = new Map<string, Promise<void>>();
  #underWay = 0;

  /** What is dispatched on a terminal that is being created waits in the same chains. */
  constructor(client: ConnectedClient, chains: Chains) {
    const { agentHost, context, limits } = client.parts;
    this.#client = client;
    this.#chains = chains;
    this.#opener = new ChannelOpener(agentHost, context, limits);
    this.#snapshots = new Turnstile(limits.snapshots);
    this.#reads = new Turnstile(limits.snapshots);
  }

  /** Answers a request, or throws why not. */
  async answer(method: string, params: unknown, reply: Reply): Promise<void> {
    const { requests: most } = this.#client.parts.limits;
    if (this.#underWay >= most) {
      throw new NacreError("limit_reached", `${most} requests of this connection wait already`);
    }
    this.#underWay++;
    try {
      await this.#answer(method, params, reply);
    } finally {
      this.#underWay--;
    }
  }

  async #answer(method: string, params: unknown, reply: Reply): Promise<void> {
    const operation = operationOf(method);
    if (method === "createTerminal") await this.#create(params, reply);
    else if (method === "subscribe") await this.#subscribe(params, reply);
    else if (method === "disposeTerminal") {
      await this.#created(params);
      await disposeTerminal(this.#client, this.#chains, params);
      reply(null);
    } else if (operation) {
      await this.#created(params);
      await this.#operate(operation, params, reply);
    } else if (method === "listSessions") reply({ items: [] });
    else throw refusalOf(method);
  }

  /** Does an operation; answers of some megabytes are made a few at a time, when there is room for them. */
  async #operate(operation: OperationName, params: unknown, reply: Reply): Promise<void> {
    const call = async (): Promise<void> =>
      reply(await callOperation(this.#client, operation, params));
    if (!isLarge(operation)) return await call();
    await this.#reads.pass(async () => {
      await this.#client.parts.outbox.room();
      await call();
    });
  }

  async #subscribe(params: unknown, reply: Reply): Promise<void> {
    const uri = nameOf(parseParams(SubscribeParams, params).channel);
    const { subscriptions, outbox } = this.#client.parts;
    using wish = subscriptions.wish(uri);
    await this.#created(params);
    await this.#snapshots.pass(async () => {
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

  async #create(params: unknown, reply: Reply): Promise<void> {
    const { uri, run } = planCreation(this.#client, params);
    const creating = this.#chains.add(uri, run);
    this.#creating.set(uri, creating);
    try {
      await creating;
    } finally {
      if (this.#creating.get(uri) === creating) this.#creating.delete(uri);
    }
    reply(null);
  }
}
