import { stat } from "node:fs/promises";
import { type ClientDeps, clientOver, type NacreClient } from "../connect.ts";
import { type Fetch, fetchWire } from "../http-wire.ts";
import type { Clock } from "../reconnect.ts";
import { type DiscoveredHost, discoverHost } from "./discovery.ts";
import { ProvenAgent } from "./proven-agent.ts";
import { socketFetch } from "./socket-fetch.ts";
import { UnixAgent } from "./unix-agent.ts";

/** Who asks, and how. */
export interface NodeOptions {
  /** Tells the programs of one caller apart: letters, digits, `.`, `_`, `:` and `-`. */
  readonly clientLabel?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** Which host of this machine, who asks, and how. */
export interface LocalOptions extends NodeOptions {
  /** What NACRE_HOME is for that host; that of this process when absent. */
  readonly home?: string | undefined;
}

/** Where a host is, who asks, and how. */
export interface RemoteOptions extends NodeOptions {
  readonly url: string;
  readonly token: string;
}

/** What a host is called by those who come through its unix socket. */
const UNIX_URL = "http://localhost";

/** A client with connections that are kept; disposing closes those that wait for use. */
export type NodeClient = NacreClient & Disposable;

/** A client of the host that this user runs on this machine, by its unix socket where there is one. */
export async function connectLocal(options: LocalOptions = {}): Promise<NodeClient> {
  const found = await discoverHost({ home: options.home });
  return (await isSocket(found.socketPath))
    ? overUnix(found, options)
    : connectProven({ ...options, ...found });
}

/** A client of the host at an address; the token goes only over connections on which the host has proved that it knows the token, or has a certificate. */
export function connectProven({ url, token, clientLabel, clock }: RemoteOptions): NodeClient {
  const agent = provenAgentOf(url, token);
  const fetch: Fetch = agent ? socketFetch(agent) : globalThis.fetch;
  const wire = fetchWire({ url, token, clientLabel, fetch });
  return client({ wire, url, clock, ...checkBy(agent) }, agent ? [agent] : []);
}

/** Over TLS the certificate says who answers; nothing else has to. */
const provenAgentOf = (url: string, token: string): ProvenAgent | undefined =>
  new URL(url).protocol === "https:" ? undefined : new ProvenAgent({ url, token });

const checkBy = (agent: ProvenAgent | undefined): Pick<ClientDeps, "checkHost"> =>
  agent ? { checkHost: () => agent.check() } : {};

function overUnix(
  { socketPath, url, token }: DiscoveredHost,
  { clientLabel, clock }: NodeOptions,
): NodeClient {
  const agent = new UnixAgent(socketPath);
  const proven = provenAgentOf(url, token);
  // The kernel says who asks, so that no token is sent at all.
  const wire = fetchWire({ url: UNIX_URL, clientLabel, fetch: socketFetch(agent) });
  return client({ wire, url, clock, ...checkBy(proven) }, [agent, ...(proven ? [proven] : [])]);
}

const client = (parts: ClientDeps, agents: readonly (ProvenAgent | UnixAgent)[]): NodeClient => ({
  ...clientOver(parts),
  [Symbol.dispose]: () => {
    for (const agent of agents) agent.destroy();
  },
});

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Not there, or not for us: the other way in is tried.
    return false;
  }
}
