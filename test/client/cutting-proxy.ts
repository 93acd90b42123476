import { once } from "node:events";
import { Agent } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a port that breaks after as many bytes of the host as the test says, connection by connection. */
export class CuttingProxy implements Disposable {
  readonly agent: Agent;
  readonly #server = createServer((socket) => this.#handle(socket));
  readonly #target: number;
  readonly #cuts: number[];
  readonly #sockets = new Set<Socket>();
  /** How many connections broke. */
  cutCount = 0;

  private constructor(target: number, cuts: readonly number[]) {
    this.#target = target;
    this.#cuts = [...cuts];
    this.agent = new ProxyAgent(() => this.port);
  }

  /** Opens a way to this port; after the last cut, connections last. */
  static async open(target: number, cuts: readonly number[]): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, cuts);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks everything that is connected now. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Carries nothing more of what is connected now, without ending it. */
  hush(): void {
    for (const socket of this.#sockets) socket.unpipe().removeAllListeners("data").resume();
  }

  [Symbol.dispose](): void {
    this.agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #handle(client: Socket): void {
    const host = connect(this.#target, "127.0.0.1");
    let left = this.#cuts.shift() ?? Number.POSITIVE_INFINITY;
    const end = (): void => {
      client.destroy();
      host.destroy();
    };
    for (const socket of [client, host]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    client.pipe(host);
    host.on("data", (chunk: Buffer) => {
      client.write(chunk.subarray(0, Math.min(left, chunk.length)));
      left -= chunk.length;
      if (left > 0) return;
      this.cutCount += 1;
      client.end();
      host.destroy();
    });
  }
}

/** Opens connections to the proxy, whatever port a request names; each request has its own. */
class ProxyAgent extends Agent {
  readonly #port: () => number;

  constructor(port: () => number) {
    super({ keepAlive: false });
    this.#port = port;
  }

  override createConnection(): Socket {
    return connect(this.#port(), "127.0.0.1");
  }
}
