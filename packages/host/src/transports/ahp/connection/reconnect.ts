import type { PreparedSnapshot, ShapedSnapshot } from "../channels/channel.ts";
import type { ClientRecord } from "../channels/clients.ts";
import type { Audience } from "../channels/envelope.ts";
import { JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import { type ChannelCursor, parseParams, ReconnectParams } from "../protocol/params.ts";
import { ROOT_URI } from "../protocol/uri.ts";
import { type NamedChannel, normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { ConnectingClient, type HandshakeDeps } from "./handshake.ts";
import type { Responder } from "./client-requests.ts";

interface MissedActionsDeps {
  readonly record: ClientRecord;
  readonly serverSeq: number;
  readonly audience: Audience;
  readonly maxBytes: number;
}

interface MissedAction {
  readonly serverSeq: number;
  readonly params: Buffer;
}

/** What a reconnecting client missed, as long as it is kept and not too much. */
class MissedActions {
  readonly #deps: MissedActionsDeps;
  #remainingBytes: number;

  constructor(deps: MissedActionsDeps) {
    this.#deps = deps;
    this.#remainingBytes = deps.maxBytes;
  }

  /**
   * Params of everything after a number on some channels, in order; undefined when incomplete. Of the client's own,
   * includes rejections on channels that are gone.
   */
  after(
    serverSeq: number,
    channels: readonly NamedChannel[],
    gone: readonly string[] = [],
  ): readonly Buffer[] | undefined {
    const { record, serverSeq: last, audience } = this.#deps;
    if (serverSeq > last || serverSeq < record.resyncedTo) return undefined;
    const own = record.after(serverSeq);
    if (!own) return undefined;
    // A snapshot's content would come twice; only lists may.
    const isTwice = channels.some(
      ({ uri }) => uri !== ROOT_URI && record.hasNewerSnapshot(uri, serverSeq),
    );
    if (isTwice) return undefined;
    const missed: MissedAction[] = [];
    const names = new Set(channels.map(({ uri }) => uri));
    for (const { uri, channel } of channels) {
      const told = channel.after(serverSeq);
      if (!told) return undefined;
      // Names that the client does not ask for are replaced by the one it asks for.
      const about = own.filter(
        (envelope) =>
          envelope.channel === uri ||
          (envelope.channel === channel.uri && !names.has(envelope.channel)),
      );
      for (const envelope of [...told, ...about]) {
        missed.push({ serverSeq: envelope.serverSeq, params: envelope.params(audience, uri) });
      }
    }
    for (const envelope of own.filter(({ channel }) => gone.includes(channel))) {
      missed.push({ serverSeq: envelope.serverSeq, params: envelope.params(audience) });
    }
    return this.#fits(missed) ? sortBySeq(missed) : undefined;
  }

  #fits(missed: readonly MissedAction[]): boolean {
    const bytes = missed.reduce((sum, { params }) => sum + params.byteLength, 0);
    if (bytes > this.#remainingBytes) return false;
    this.#remainingBytes -= bytes;
    return true;
  }
}

const sortBySeq = (missed: readonly MissedAction[]): readonly Buffer[] =>
  missed.toSorted((one, other) => one.serverSeq - other.serverSeq).map(({ params }) => params);

/** By replay, or from snapshots. */
export async function reconnect(
  deps: HandshakeDeps,
  params: unknown,
  reply: Responder,
): Promise<void> {
  const { clientId, lastSeenServerSeq, subscriptions } = parseParams(ReconnectParams, params);
  const newcomer = new ConnectingClient(deps, clientId);
  const record = deps.agentHost.clients.find(newcomer.clientId);
  if (!record)
    throw new JsonRpcError(RPC_CODES.notFound, "clientId: this host knows no such client");
  const returning = new ReturningClient(deps, newcomer, record);
  const [names, cursors] = [subscriptions.filter(isName), subscriptions.filter(isCursor)];
  if (cursors.length > 0) await returning.resumeByChannel(cursors, reply);
  else await returning.resume(names, lastSeenServerSeq ?? 0, reply);
}

/**
 * What is left out counts as gone, so that a client with very much starts anew and subscribes to the rest by itself.
 */
const tooMuch = (): JsonRpcError =>
  new JsonRpcError(
    RPC_CODES.notFound,
    "what was missed is more than one answer holds; begin with `initialize`",
  );

const isName = (asked: string | ChannelCursor): asked is string => typeof asked === "string";
const isCursor = (asked: string | ChannelCursor): asked is ChannelCursor => !isName(asked);

class ReturningClient {
  readonly #deps: HandshakeDeps;
  readonly #client: ConnectingClient;
  readonly #record: ClientRecord;
  readonly #audience: Audience;

  constructor(deps: HandshakeDeps, newcomer: ConnectingClient, record: ClientRecord) {
    this.#deps = deps;
    this.#client = newcomer;
    this.#record = record;
    this.#audience = { shape: record.agreement.shape, callerId: deps.caller.id };
  }

  /** Everything after one number, or snapshots of everything. */
  async resume(names: readonly string[], lastSeen: number, reply: Responder): Promise<void> {
    const { opener } = this.#client;
    const channels = await opener.openAll(names);
    const present = new Set(channels.map(({ uri }) => uri));
    const missing = [...new Set(names)].filter((name) => !present.has(normalizeChannelUri(name)));
    // Nothing is awaited from here on: nothing can happen between this answer and what follows.
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
    // Nothing is awaited here either.
    const snapshots = told.map((named) => this.#take(named, prepared.get(named)));
    this.#connect(told, prepared);
    for (const { resource, fromSeq } of snapshots) this.#record.noteSnapshot(resource, fromSeq);
    reply({ type: "snapshot", snapshots });
  }

  /** Each channel after its own number, or its snapshot. */
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
        // Nothing was awaited since the replay was collected; current subscribers receive events while snapshots are
        // taken.
        const answer = this.#encodeByChannel([...lastSeen.keys()], channels, { replays, prepared });
        this.#connect(channels, prepared);
        reply.json(answer);
        return;
      }
      // Meanwhile more of the others' history may be dropped, so it is checked again.
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

/** The items are JSON already. */
function encodeList(items: readonly Buffer[]): Buffer {
  const comma = Buffer.from(",");
  const joined = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
  return Buffer.concat([Buffer.from("["), ...joined, Buffer.from("]")]);
}
