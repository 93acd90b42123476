import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { NacreClient } from "@nacre/client";
import { decodeBytes, type OutputPosition, type TerminalId } from "@nacre/contracts";
import { WebSocket } from "ws";
import type { DaemonProcess } from "../support/daemon-process.ts";

/** Writes as many bytes as it is told, again and again, and says how long each time took the program itself. */
const PROGRAM =
  'stty -opost -echo; while read -r n && [ -n "$n" ]; do s=$(date +%s%N); yes 0123456789abcdef | head -c "$n"; echo; echo "took $(($(date +%s%N) - s)) ns."; done';

/** Longer than what the program says. */
const TAIL_LENGTH = 200;

/** A terminal that can be flooded, and a viewer who reads all of it and goes on where it was when it is shown a picture instead. */
export class Flood {
  readonly id: TerminalId;
  /** How often the viewer fell behind. */
  resumes = 0;
  readonly #daemon: DaemonProcess;
  readonly #client: NacreClient;
  readonly #hash = createHash("sha256");
  readonly #ended: Promise<void>;
  #bytes = 0;
  #cursor = 0;
  #held: Buffer[] = [];
  #tail = "";
  #handleTail = (): void => undefined;

  private constructor(daemon: DaemonProcess, client: NacreClient, id: TerminalId) {
    this.#daemon = daemon;
    this.#client = client;
    this.id = id;
    this.#ended = this.#read();
  }

  static async start(daemon: DaemonProcess): Promise<Flood> {
    const client = daemon.client();
    const { id } = await client.createTerminal({ command: "/bin/sh", args: ["-c", PROGRAM] });
    return new Flood(daemon, client, id);
  }

  /** Lets so many bytes be written; resolves when the viewer has them, with how long the program took in ms. */
  async write(bytes: number): Promise<number> {
    const told = new Promise<number>((resolve) => {
      this.#handleTail = () => {
        const took = /took (\d+) ns\./.exec(this.#tail)?.[1];
        if (took !== undefined) resolve(Number(took) / 1e6);
      };
    });
    await this.#client.sendInput({ id: this.id, data: `${bytes}\n` });
    const durationMs = await told;
    this.#tail = "";
    return durationMs;
  }

  /** Ends the program; throws unless the viewer saw what was recorded. */
  async end(): Promise<void> {
    await this.#client.sendInput({ id: this.id, data: "\n" });
    await this.#ended;
    const recorded = createHash("sha256");
    let bytes = 0;
    for (let position: OutputPosition = { after: 0 }, isOver = false; !isOver;) {
      const page = await this.#client.readOutput({ id: this.id, position, maxBytes: 1024 ** 2 });
      const data = decodeBytes(page);
      recorded.update(data);
      bytes += data.length;
      position = page.position;
      isOver = page.ended;
    }
    assert.equal(this.#bytes, bytes, "the viewer saw another number of bytes");
    assert.equal(this.#hash.digest("hex"), recorded.digest("hex"), "the viewer saw other bytes");
  }

  async #read(): Promise<void> {
    while (!(await this.#connection())) this.resumes += 1;
  }

  /** Resolves with whether the end was told. */
  #connection(): Promise<boolean> {
    const { port, token } = this.#daemon;
    const query = `control=1&cursor=${this.#cursor}`;
    const address = `ws://127.0.0.1:${port}/api/terminals/${this.id}/connect?${query}`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
    let isEnded = false;
    this.#held = [];
    return new Promise((resolve, reject) => {
      socket.on("message", (data: Buffer, isBinary: boolean) => {
        if (isBinary) {
          this.#held.push(data);
          return;
        }
        const { type, sequence } = JSON.parse(data.toString()) as Control;
        if (type === "snapshot") socket.terminate();
        if (type === "exit") isEnded = true;
        if (type === "cursor" && socket.readyState === socket.OPEN) this.#keep(sequence);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(isEnded));
    });
  }

  #keep(sequence: number): void {
    for (const bytes of this.#held) {
      this.#hash.update(bytes);
      this.#bytes += bytes.length;
      this.#tail = (
        this.#tail + bytes.toString("latin1", Math.max(0, bytes.length - TAIL_LENGTH))
      ).slice(-TAIL_LENGTH);
    }
    this.#held = [];
    this.#cursor = sequence;
    this.#handleTail();
  }
}

/** What a text frame says that matters here. */
interface Control {
  readonly type: string;
  readonly sequence: number;
}
