import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Random } from "../support/random.ts";

/** Connections break after at least and at most so many bytes of the host: within a head, or far behind it. */
const LEAST_BYTES = 40;
const MOST_BYTES = 16_384;

/** A way to a daemon whose connections break at random places, as networks do. */
export class CuttingWay implements Disposable {
  /** The port of the daemon, once that is known. */
  target = 0;
  /** How many connections broke. */
  cutCount = 0;
  readonly #random: Random;
  readonly #server = createServer((socket) => this.#handle(socket));
  readonly #sockets = new Set<Socket>();
  #isCutting = false;

  private constructor(random: Random) {
    this.#random = random;
  }

  /** Opens a way on any port; nothing breaks yet. */
  static async open(random: Random): Promise<CuttingWay> {
    const way = new CuttingWay(random);
    way.#server.listen(0, "127.0.0.1");
    await once(way.#server, "listening");
    return way;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on connections break, those that are there at once. */
  begin(): void {
    this.#isCutting = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on connections last. */
  stop(): void {
    this.#isCutting = false;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #handle(client: Socket): void {
    const host = connect(this.target, "127.0.0.1");
    let left = randomLength(this.#random);
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
      const isLast = this.#isCutting && chunk.length >= left;
      client.write(isLast ? chunk.subarray(0, left) : chunk);
      if (this.#isCutting) left -= chunk.length;
      if (!isLast) return;
      this.cutCount += 1;
      // Both kinds of end are met in networks: one that says goodbye, and one that does not.
      if (this.#random.chance(0.5)) client.destroySoon();
      else client.resetAndDestroy();
      host.destroy();
    });
  }
}

/** Mostly short, now and then long, so that every place is hit and all get on. */
export const randomLength = (random: Random): number =>
  Math.round(LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** (random.between(0, 1000) / 1000));
