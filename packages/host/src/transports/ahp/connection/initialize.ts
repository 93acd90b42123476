import { homedir } from "node:os";
import { OPERATIONS } from "@nacre/contracts";
import { InitializeParams, parseParams } from "../protocol/params.ts";
import { cwdToUri } from "../protocol/uri.ts";
import { type NegotiatedVersion, knowsServerInfo, negotiateVersion } from "../protocol/version.ts";
import type { Responder } from "./answering.ts";
import { type HandshakeDeps, ConnectingClient } from "./handshake.ts";
import { EXTENSION_PREFIX } from "./extension-requests.ts";

const SERVER_NAME = "nacre";

/** Where this host says what it can do beyond the protocol. */
const META_KEY = "dev.nacre";

/** Begins a connection: who the client is, which version is spoken, and what it follows from the start. */
export async function initialize(
  parts: HandshakeDeps,
  params: unknown,
  reply: Responder,
): Promise<void> {
  const { protocolVersions, clientId, initialSubscriptions } = parseParams(
    InitializeParams,
    params,
  );
  const agreement = negotiateVersion(protocolVersions);
  const newcomer = new ConnectingClient(parts, clientId);
  using stack = new DisposableStack();
  const wanted = await newcomer.opener.openAll(initialSubscriptions ?? []);
  const prepared = await newcomer.opener.prepareAll(wanted, stack);
  // From here on nothing waits, so that nothing can happen between the snapshots and what follows them.
  const audience = { shape: agreement.shape, callerId: parts.caller.id };
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
    serverSeq: parts.agentHost.serverSeq,
    snapshots,
    ...describeHost(parts, agreement),
  });
}

/** What a client may like to know; nothing that its version has no place for. */
function describeHost({ agentHost, caller }: HandshakeDeps, agreement: NegotiatedVersion): object {
  const { version } = agentHost;
  const requests = Object.keys(OPERATIONS).map((name) => EXTENSION_PREFIX + name);
  return {
    ...(knowsServerInfo(agreement) ? { serverInfo: { name: SERVER_NAME, version } } : {}),
    defaultDirectory: cwdToUri(caller.roots?.[0] ?? homedir()),
    ...(agreement.shape === "lifecycle" ? { _meta: { [META_KEY]: { version, requests } } } : {}),
  };
}
