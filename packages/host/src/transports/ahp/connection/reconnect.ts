import type { PreparedSnapshot, ShapedSnapshot } from "../channels/channel.ts";
import type { ClientRecord } from "../channels/client-record.ts";
import type { Audience } from "../channels/envelope.ts";
import { type ChannelCursor, parseParams, ReconnectParams } from "../protocol/params.ts";
import { RPC_CODES, JsonRpcError } from "../protocol/rpc-error.ts";
import type { Responder } from "./answering.ts";
import { type NamedChannel, normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { type HandshakeDeps, ConnectingClient } from "./handshake.ts";
import { MissedActions } from "./past.ts";

/** Goes on with what an earlier connection of the client had: by what it missed, or from snapshots. */
export async function reconnect(
  parts: HandshakeDeps,
  params: unknown,
  reply: Responder,
): Promise<void> {
  const { clientId, lastSeenServerSeq, subscriptions } = parseParams(ReconnectParams, params);
  const newcomer = new ConnectingClient(parts, clientId);
  const record = parts.agentHost.clients.find(newcomer.clientId);
  if (!record)
    throw new JsonRpcError(RPC_CODES.notFound, "clientId: this host knows no such client");
  const returning = new ReturningClient(parts, newcomer, record);
  const [names, cursors] = [subscriptions.filter(isName), subscriptions.filter(isCursor)];
  if (cursors.length > 0) await returning.resumeByChannel(cursors, reply);
  else await returning.resume(names, lastSeenServerSeq ?? 0, reply);
}

/** What is left out here counts as gone, so that a client with very much begins anew and subscribes to the rest by itself. */
const tooMuch = (): JsonRpcError =>
  new JsonRpcError(
    RPC_CODES.notFound,
    "this is more than one answer holds; begin with `initialize`",
  );

const isName = (asked: string | ChannelCursor): asked is string => typeof asked === "string";
const isCursor = (asked: string | ChannelCursor): asked is ChannelCursor => !isName(asked);

/** A client that comes back. */
class ReturningClient {
  readonly #deps: HandshakeDeps;
  readonly #client: ConnectingClient;
  readonly #record: ClientRecord;
  readonly #audience: Audience;

  constructor(parts: HandshakeDeps, newcomer: ConnectingClient, record: ClientRecord) {
    this.#deps = parts;
    this.#client = newcomer;
    this.#record = record;
    this.#audience = { shape: record.agreement.shape, callerId: parts.caller.id };
  }

  /** Everything after one number, or snapshots of everything. */
  async resume(names: readonly string[], lastSeen: number, reply: Responder): Promise<void> {
    const { opener } = this.#client;
    const channels = await opener.openAll(names);
    const present = new Set(channels.map(({ uri }) => uri));
    const missing = [...new Set(names)].filter((name) => !present.has(normalizeChannelUri(name)));
    // From here on nothing waits, so that nothing can happen between what is told here and what follows.
    const missed = this.#missedActions().after(lastSeen, channels, missing);
    if (missed) {
      this.#connect(channels);
      reply.json(encodeReplay(missed, missing));
      return;
    }
    using stack = new DisposableStack();
    const prepared = await opener.prepareAll(channels, stack);
    if (opener.isFull) throw tooMuch();
    const told = channels.filter((named) => prepared.has(named));
    // Nothing waits here either.
    const snapshots = told.map((named) => this.#take(named, prepared.get(named)));
    this.#connect(told, prepared);
    for (const { resource, fromSeq } of snapshots) this.#record.noteSnapshot(resource, fromSeq);
    reply({ type: "snapshot", snapshots });
  }

  /** Each channel by itself: everything after its own number, or its snapshot. */
  async resumeByChannel(cursors: readonly ChannelCursor[], reply: Responder): Promise<void> {
    const { opener } = this.#client;
    const lastSeen = new Map(
      cursors.map((one) => [normalizeChannelUri(one.channel), one.lastSeenServerSeq]),
    );
    using stack = new DisposableStack();
    let channels = await opener.openAll([...lastSeen.keys()]);
    const prepared = new Map<NamedChannel, PreparedSnapshot>();
    for (;;) {
      const past = this.#missedActions();
      const replays = new Map(
        channels.flatMap((named) => {
          if (prepared.has(named)) return [];
          const missed = past.after(lastSeen.get(named.uri) ?? 0, [named]);
          return missed ? [[named, missed] as const] : [];
        }),
      );
      const lacking = channels.filter((named) => !prepared.has(named) && !replays.has(named));
      if (lacking.length === 0) {
        // Nothing waited since what was missed was collected; who follows already is told while snapshots are taken.
        const answer = this.#encodeByChannel([...lastSeen.keys()], channels, { replays, prepared });
        this.#connect(channels, prepared);
        reply.json(answer);
        return;
      }
      // Meanwhile more may be dropped from the past of others, which is then looked at again.
      const more = await opener.prepareAll(lacking, stack);
      if (opener.isFull) throw tooMuch();
      for (const [named, snapshot] of more) prepared.set(named, snapshot);
      channels = channels.filter((named) => !lacking.includes(named) || more.has(named));
    }
  }

  #encodeByChannel(
    names: readonly string[],
    channels: readonly NamedChannel[],
    {
      replays,
      prepared,
    }: {
      readonly replays: ReadonlyMap<NamedChannel, readonly Buffer[]>;
      readonly prepared: ReadonlyMap<NamedChannel, PreparedSnapshot>;
    },
  ): Buffer {
    const items = names.map((channel) => {
      const named = channels.find(({ uri }) => uri === channel);
      if (!named) return Buffer.from(JSON.stringify({ kind: "missing", channel }));
      const missed = replays.get(named);
      if (missed) {
        const head = `{"kind":"replay","channel":${JSON.stringify(channel)},"actions":`;
        return Buffer.concat([Buffer.from(head), encodeList(missed), Buffer.from("}")]);
      }
      const snapshot = this.#take(named, prepared.get(named));
      this.#record.noteSnapshot(channel, snapshot.fromSeq);
      return Buffer.from(JSON.stringify({ kind: "snapshot", channel, snapshot }));
    });
    return Buffer.concat([Buffer.from('{"channels":'), encodeList(items), Buffer.from("}")]);
  }

  #missedActions(): MissedActions {
    const { agentHost, limits } = this.#deps;
    return new MissedActions({
      record: this.#record,
      serverSeq: agentHost.serverSeq,
      audience: this.#audience,
      maxBytes: limits.replayBytes,
    });
  }

  #take(named: NamedChannel, prepared: PreparedSnapshot | undefined): ShapedSnapshot {
    if (!prepared) throw new Error(`no snapshot of ${named.uri} was prepared`);
    return prepared.take(this.#audience);
  }

  #connect(
    channels: readonly NamedChannel[],
    prepared?: ReadonlyMap<NamedChannel, PreparedSnapshot>,
  ): ConnectedClient {
    const client = this.#client.connect(this.#record.agreement);
    const { subscriptions } = client.parts;
    for (const named of channels) {
      subscriptions.follow(named.uri, named.channel, prepared?.get(named)?.isProvisional);
    }
    return client;
  }
}

const encodeReplay = (missed: readonly Buffer[], missing: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from('{"type":"replay","actions":'),
    encodeList(missed),
    Buffer.from(`,"missing":${JSON.stringify(missing)}}`),
  ]);

/** A list in JSON of what is JSON already. */
function encodeList(items: readonly Buffer[]): Buffer {
  const comma = Buffer.from(",");
  const joined = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
  return Buffer.concat([Buffer.from("["), ...joined, Buffer.from("]")]);
}
