import { Duplex } from "node:stream";

/** Where a connection without a network says that it comes from. */
export interface Source {
  readonly address: string;
  readonly port: number;
}

/** The server's end of a connection without a network: what it writes is handed over, what it is to read is given to it. */
export class MemorySocket extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly #handleBytes: (chunk: Buffer) => void;

  constructor({ address, port }: Source, handleBytes: (chunk: Buffer) => void) {
    super({ allowHalfOpen: true });
    this.remoteAddress = address;
    this.remotePort = port;
    this.#handleBytes = handleBytes;
  }

  /** Lets the server read this. */
  give(text: string): void {
    this.push(Buffer.from(text, "latin1"));
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#handleBytes(chunk);
    done();
  }
}
