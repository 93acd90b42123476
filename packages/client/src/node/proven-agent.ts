import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { proveConnection } from "./prove-connection.ts";

type HandOver = (error: Error | null, socket?: Duplex) => void;

/** What a proven agent is made of. */
export interface ProvenAgentOptions {
  /** Address of the host, `http://<name>:<port>`. */
  readonly url: string;
  readonly token: string;
  /** How long a host may take for its proof. */
  readonly maxProofMs?: number | undefined;
}

/** Opens connections on which the host has proved that it knows the token, so that a request with the token goes to nobody else. */
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

  /** Throws unless who listens there now proves to be the host. */
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
