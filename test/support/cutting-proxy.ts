import { once } from "node:events";
import { Agent } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** How connections through a proxy break. */
export interface CuttingProxyOptions {
  /** The port it leads to; it can be set later. */
  readonly target?: number;
  /** After how many bytes of the host the next connection breaks. */
  readonly nextCut: () => number;
  /** Whether a connection that breaks is reset instead of closed; never when absent. */
  readonly isReset?: () => boolean;
}

/** The cuts of a list, one connection after the other; later connections last. */
export function listedCuts(cuts: readonly number[]): () => number {
  const left = [...cuts];
  return () => left.shift() ?? Number.POSITIVE_INFINITY;
}

/** A proxy in front of a port whose connections break, as those of networks do. */
export class CuttingProxy implements Disposable {
  target: number;
  /** Whether connections break now; what they carry otherwise does not count. */
  isCutting = true;
  /** How many connections broke by themselves. */
  cutCount = 0;
  /** Connects to the proxy, whatever port a request names. */
  readonly agent: Agent = new ProxyAgent(() => this.port);
  readonly #options: CuttingProxyOptions;
  readonly #server = createServer((socket) => this.#handle(socket));
  readonly #sockets = new Set<Socket>();

  private constructor(options: CuttingProxyOptions) {
    this.#options = options;
    this.target = options.target ?? 0;
  }

  /** Opens a proxy on any port. */
  static async open(options: CuttingProxyOptions): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(options);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
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
    this.cut();
    this.#server.close();
  }

  #handle(client: Socket): void {
    const host = connect(this.target, "127.0.0.1");
    let left = this.#options.nextCut();
    const end = (): void => {
      client.destroy();
      host.destroy();
    };
    for (const socket of [client, host]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", () => {
        end();
        this.#sockets.delete(socket);
      });
    }
    client.pipe(host);
    host.on("data", (chunk: Buffer) => {
      const isLast = this.isCutting && chunk.length >= left;
      client.write(isLast ? chunk.subarray(0, left) : chunk);
      if (this.isCutting) left -= chunk.length;
      if (!isLast) return;
      this.cutCount += 1;
      if (this.#options.isReset?.()) client.resetAndDestroy();
      else client.destroySoon();
      host.destroy();
    });
  }
}

/** Opens a connection of its own to the proxy for each request. */
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
