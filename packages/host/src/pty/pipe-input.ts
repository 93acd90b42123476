import { closeSync, writeSync } from "node:fs";
import { NacreError } from "@nacre/contracts/plain";
import { InputQueue } from "./input-queue.ts";
import { hasCode } from "./linux-start.ts";

/** The host's end of the pipe that a program reads its input from; it waits, ends and breaks without blocking the host. */
export class PipeInput implements Disposable {
  readonly #queue = new InputQueue((bytes) => this.#offer(bytes));
  #end: number | undefined;
  #isEnding = false;

  /** Takes over the end of a pipe that does not block. */
  constructor(end: number) {
    this.#end = end;
  }

  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  /** Takes all of the bytes or none; refuses them when nobody can read them any more. */
  push(bytes: Uint8Array): void {
    if (this.#end !== undefined && !this.#isEnding) this.#queue.push(bytes);
    // That the program closed its input shows when it is offered something.
    if (this.#end !== undefined && !this.#isEnding) return;
    throw new NacreError("conflict", "cannot write: the input of the program was closed");
  }

  /** Offers what waits. */
  flush(): void {
    if (this.#queue.queuedBytes > 0) this.#queue.flush();
  }

  /** Closes the pipe once all that waits is taken. */
  end(): void {
    this.#isEnding = true;
    if (this.#queue.queuedBytes === 0) this[Symbol.dispose]();
  }

  /** Closes the pipe at once; what waits is dropped. */
  [Symbol.dispose](): void {
    this.#queue.clear();
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }

  #offer(bytes: Uint8Array): number {
    if (this.#end === undefined) return bytes.byteLength;
    try {
      const taken = writeSync(this.#end, bytes);
      // What is offered last counts as waiting until this returns.
      if (this.#isEnding && taken === this.#queue.queuedBytes) this.#close();
      return taken;
    } catch (error) {
      if (hasCode(error, "EAGAIN")) return 0;
      // The program closed its input: what waits is for nobody.
      this.#close();
      return bytes.byteLength;
    }
  }

  /** The queue is being emptied and must not be touched meanwhile. */
  #close(): void {
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }
}
