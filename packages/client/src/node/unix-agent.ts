import { Agent } from "node:http";
import { connect, type Socket } from "node:net";

/** Opens connections to a unix socket, whatever host a request names. */
export class UnixAgent extends Agent {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    super({ keepAlive: true });
    this.#socketPath = socketPath;
  }

  override createConnection(): Socket {
    return connect(this.#socketPath);
  }
}
