import { once } from "node:events";
import { stat } from "node:fs/promises";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { NacreError } from "@nacre/contracts";
import { type ClientDeps, clientOver, type NacreClient } from "../connect.ts";
import type { Clock } from "../follow.ts";
import { type Fetch, fetchWire } from "../http-wire.ts";
import { type DiscoveredHost, discoverHost } from "./discovery.ts";
import { socketFetch } from "./socket-fetch.ts";

// The host proves that it knows the token before it is sent; the proof does not contain it.

/** Needs no credential. */
export const PROOF_PATH = "/api/proof";

/** A digest prefix identifies a token without revealing it. */
const CREDENTIAL_LENGTH = 16;

/** Never repeats. */
const NONCE_BYTES = 32;

interface ProofChallenge {
  readonly body: string;
  /** Only a host that knows the token can answer so. */
  isProvenBy(answer: unknown): boolean;
}

/** Bound to the address. */
async function proofChallenge(token: string, host: string): Promise<ProofChallenge> {
  const key = await digest(new TextEncoder().encode(token));
  const credential = hexOf(await digest(key)).slice(0, CREDENTIAL_LENGTH);
  const nonce = hexOf(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  // A relayed challenge yields an answer for another address.
  const expected = await hmac(key, `${host}\n${nonce}`);
  return {
    body: JSON.stringify({ credential, nonce }),
    isProvenBy: (answer) =>
      typeof answer === "object" &&
      answer !== null &&
      "proof" in answer &&
      answer.proof === expected,
  };
}

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return hexOf(
    new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text))),
  );
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A proof is one line; a longer answer is no host's. */
const MAX_PROOF_BYTES = 4096;

/** A running host answers at once. */
const MAX_PROOF_MS = 5000;

/** Lends one connection to one request and gets it back. */
class LentSocket extends Agent {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ keepAlive: true });
    // By default an agent would keep a free socket, and take it for broken when others use it.
    this.removeAllListeners("free");
    this.#socket = socket;
  }

  override createConnection(): Socket {
    return this.#socket;
  }
}

interface ProofOptions {
  readonly origin: string;
  readonly token: string;
  readonly socket: Socket;
  readonly maxMs?: number | undefined;
}

/** Leaves the connection ready for use, or destroys it. */
async function proveConnection(options: ProofOptions): Promise<void> {
  const { origin, socket } = options;
  const fail = (cause?: unknown): NacreError =>
    new NacreError("forbidden", `the program that answers at ${origin} does not know the token`, {
      cause,
      suggestion:
        "The token was not sent. It may be revoked or another host's: check NACRE_TOKEN where that is set, and what listens there.",
    });
  const giveUp = (): void => void socket.destroy();
  socket.on("timeout", giveUp).setTimeout(options.maxMs ?? MAX_PROOF_MS);
  try {
    if (!(await Promise.race([isProven(options), untilClosed(socket)]))) throw fail();
  } catch (error) {
    socket.destroy();
    throw error instanceof NacreError ? error : fail(error);
  }
  // A lent socket has no timeout and does not keep the process alive; from now on it does.
  socket.off("timeout", giveUp).setTimeout(0).ref();
}

/** A request on a closed connection gets no event. */
async function untilClosed(socket: Socket): Promise<boolean> {
  if (!socket.destroyed) await once(socket, "close");
  return false;
}

async function isProven({ origin, token, socket }: ProofOptions): Promise<boolean> {
  const challenge = await proofChallenge(token, new URL(origin).host);
  const agent = new LentSocket(socket);
  const request = httpRequest(origin + PROOF_PATH, {
    agent,
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  request.end(challenge.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const returned = once(agent, "free");
  const answer: unknown = JSON.parse(await textOf(response));
  await returned;
  socket.emit("agentRemove");
  return response.statusCode === 200 && challenge.isProvenBy(answer);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_PROOF_BYTES) throw new RangeError("the proof is too long");
  }
  return text;
}

type HandOver = (error: Error | null, socket?: Duplex) => void;

interface ProvenAgentOptions {
  /** `http://<name>:<port>`. */
  readonly url: string;
  readonly token: string;
  /** Time limit for the proof. */
  readonly maxProofMs?: number | undefined;
}

/** Only connections on which the host has proved that it knows the token, so that the token goes to nobody else. */
export class ProvenAgent extends Agent {
  readonly #options: ProvenAgentOptions;

  constructor(options: ProvenAgentOptions) {
    super({ keepAlive: true });
    this.#options = options;
  }

  override createConnection(_options: unknown, handOver: HandOver): undefined {
    this.#open().then(
      (socket) => handOver(null, socket),
      (error: Error) => handOver(error),
    );
  }

  /** Throws unless the current listener proves to be the host. */
  async check(): Promise<void> {
    (await this.#open()).destroy();
  }

  async #open(): Promise<Socket> {
    const { url, token, maxProofMs } = this.#options;
    const { origin, hostname, port } = new URL(url);
    const socket = connect({
      host: hostname.replaceAll(/[[\]]/g, ""),
      port: Number(port || 80),
      noDelay: true,
    });
    await once(socket, "connect");
    await proveConnection({ origin, token, socket, maxMs: maxProofMs });
    return socket;
  }
}

/** Whatever host a request names. */
class UnixAgent extends Agent {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    super({ keepAlive: true });
    this.#socketPath = socketPath;
  }

  override createConnection(): Socket {
    return connect(this.#socketPath);
  }
}

export interface NodeOptions {
  /** Distinguishes the programs of one caller: letters, digits, `.`, `_`, `:` and `-`. */
  readonly clientLabel?: string | undefined;
  readonly clock?: Clock | undefined;
}

export interface LocalOptions extends NodeOptions {
  /** Default: NACRE_HOME of this process. */
  readonly home?: string | undefined;
}

export interface RemoteOptions extends NodeOptions {
  readonly url: string;
  readonly token: string;
}

/** The `Host` of requests over the unix socket. */
const UNIX_URL = "http://localhost";

/** Keeps connections; disposing closes idle ones. */
export type NodeClient = NacreClient & Disposable;

/** The host of this user on this machine, by its unix socket where there is one. */
export async function connectLocal(options: LocalOptions = {}): Promise<NodeClient> {
  const found = await discoverHost({ home: options.home });
  return (await isSocket(found.socketPath))
    ? overUnix(found, options)
    : connectProven({ ...options, ...found });
}

/** The token is sent only to a host that proved to know it, or that has a certificate. */
export function connectProven({ url, token, clientLabel, clock }: RemoteOptions): NodeClient {
  const agent = provenAgentOf(url, token);
  const fetch: Fetch = agent ? socketFetch(agent) : globalThis.fetch;
  const wire = fetchWire({ url, token, clientLabel, fetch });
  return client({ wire, url, clock, ...checkBy(agent) }, agent ? [agent] : []);
}

/** With TLS the certificate identifies the host. */
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
  // The kernel identifies the caller, so no token is sent.
  const wire = fetchWire({ url: UNIX_URL, clientLabel, fetch: socketFetch(agent) });
  return client({ wire, url, clock, ...checkBy(proven) }, [agent, ...(proven ? [proven] : [])]);
}

const client = (deps: ClientDeps, agents: readonly (ProvenAgent | UnixAgent)[]): NodeClient => ({
  ...clientOver(deps),
  [Symbol.dispose]: () => {
    for (const agent of agents) agent.destroy();
  },
});

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Missing or not ours: the other way is tried.
    return false;
  }
}
