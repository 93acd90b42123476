import { closeSync } from "node:fs";
import { isReadable, openProcess } from "./linux-calls.ts";
import { readProcess } from "./process-table.ts";
import type { ProcessIdentity } from "./pty.ts";

/** Tells again and again whether a process is there: by a descriptor of it, which takes a tenth of what looking it up takes. */
export class ProcessWatch implements Disposable {
  readonly #identity: ProcessIdentity;
  #descriptor: number | undefined;
  #isDisposed = false;

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
  }

  get isAlive(): boolean {
    if (!this.#isDisposed) this.#descriptor ??= this.#open();
    return this.#descriptor === undefined ? this.#isFound() : !isReadable(this.#descriptor);
  }

  /** It can be asked afterwards, too, and looks the process up. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Opened before it is looked up, so that both are of the same process; undefined where no descriptor is to be had. */
  #open(): number | undefined {
    const descriptor = openProcess(this.#identity.pid);
    if (descriptor === undefined || this.#isFound()) return descriptor;
    closeSync(descriptor);
    return undefined;
  }

  #isFound(): boolean {
    const { pid, startTicks } = this.#identity;
    return readProcess(pid)?.startTicks === startTicks;
  }
}
