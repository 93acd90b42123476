import { homedir } from "node:os";
import { type Caller, type ClientId, NacreError, OPERATIONS } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/operations.ts";
import type { AgentHost } from "../channels/agent-host.ts";
import { ClientNames } from "../protocol/client-names.ts";
import { InitializeParams, parseParams } from "../protocol/params.ts";
import { cwdToUri } from "../protocol/uri.ts";
import { knowsServerInfo, type NegotiatedVersion, negotiateVersion } from "../protocol/version.ts";
import { ChannelOpener } from "./channel-opener.ts";
import { ConnectedClient } from "./connected-client.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { Outbox } from "./outbox.ts";
import { EXTENSION_PREFIX, type Responder } from "./client-requests.ts";
import { Subscriptions } from "./subscriptions.ts";

const SERVER_NAME = "nacre";

/** Key of our extensions. */
const META_KEY = "dev.nacre";

/** Who the client is, which version is spoken, and what it follows. */
export async function initialize(
  deps: HandshakeDeps,
  params: unknown,
  reply: Responder,
): Promise<void> {
  const asked = parseParams(InitializeParams, params);
  const { protocolVersions, clientId, initialSubscriptions = [] } = asked;
  const agreement = negotiateVersion(protocolVersions);
  const newcomer = new ConnectingClient(deps, clientId);
  using stack = new DisposableStack();
  const wanted = await newcomer.opener.openAll(initialSubscriptions);
  const prepared = await newcomer.opener.prepareAll(wanted, stack);
  // Nothing is awaited from here on: nothing can happen between the snapshots and what follows them.
  const audience = { shape: agreement.shape, callerId: deps.caller.id };
  const told = wanted.filter((named) => prepared.has(named));
  const snapshots = told.flatMap((named) => prepared.get(named)?.take(audience) ?? []);
  const client = newcomer.connect(agreement);
  const { subscriptions } = client.parts;
  for (const { resource, fromSeq } of snapshots) client.record.noteSnapshot(resource, fromSeq);
  for (const named of told) {
    subscriptions.follow(named.uri, named.channel, prepared.get(named)?.isProvisional);
  }
  reply({
    protocolVersion: agreement.version,
    serverSeq: deps.agentHost.serverSeq,
    snapshots,
    ...describeHost(deps, agreement),
  });
}

/** Only what the client's version has a field for. */
function describeHost({ agentHost, caller }: HandshakeDeps, agreement: NegotiatedVersion): object {
  const { version } = agentHost;
  const requests = Object.keys(OPERATIONS).map((name) => EXTENSION_PREFIX + name);
  return {
    ...(knowsServerInfo(agreement) ? { serverInfo: { name: SERVER_NAME, version } } : {}),
    defaultDirectory: cwdToUri(caller.roots?.[0] ?? homedir()),
    ...(agreement.shape === "lifecycle" ? { _meta: { [META_KEY]: { version, requests } } } : {}),
  };
}

export interface HandshakeDeps {
  readonly agentHost: AgentHost;
  readonly operations: Operations;
  /** According to its credential. */
  readonly caller: Caller;
  readonly peer: string;
  readonly outbox: Outbox;
  readonly limits: ConnectionLimits;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
  readonly handleProblem: (error: unknown) => void;
  readonly handleConnected: (client: ConnectedClient) => void;
}

/** Identified, but not connected yet. */
export class ConnectingClient {
  readonly opener: ChannelOpener;
  readonly names: ClientNames;
  readonly #deps: HandshakeDeps;
  readonly #context: CallContext;
  readonly clientId: ClientId;

  /** Throws -32602 for an invalid name. */
  constructor(deps: HandshakeDeps, name: string) {
    const { agentHost, caller, peer, signal, limits } = deps;
    this.#deps = deps;
    this.names = new ClientNames(caller.id);
    this.clientId = this.names.own(name);
    this.#context = { caller: { ...caller, clientId: this.clientId }, via: "ahp", peer, signal };
    this.opener = new ChannelOpener(agentHost, this.#context, limits);
  }

  /** Connects it, at once; in the same turn it must be answered. */
  connect(agreement: NegotiatedVersion): ConnectedClient {
    const { handleConnected, ...deps } = this.#deps;
    const { agentHost, caller, outbox, signal } = deps;
    if (signal.aborted) throw clientGone();
    const context = this.#context;
    const subscriptions = new Subscriptions({
      audience: { shape: agreement.shape, callerId: caller.id },
      clientId: this.clientId,
      context,
      outbox,
      handleGap: () => client.noteResync(agentHost.serverSeq + 1),
    });
    const connection = agentHost.clients.connect(subscriptions, agreement);
    const { names } = this;
    const client = new ConnectedClient({ ...deps, context, names, subscriptions, connection });
    handleConnected(client);
    return client;
  }
}

/** Nobody reads this. */
const clientGone = (): NacreError => new NacreError("unavailable", "the client is gone");
