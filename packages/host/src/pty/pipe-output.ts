import { OutputQueue } from "./output-queue.ts";
import type { Chunk } from "./pty.ts";

/** Where a program without a terminal writes to. */
export type PipeName = "stdout" | "stderr";

/** Bytes that follow each other and came from the same pipe. */
interface StreamRun {
  readonly from: PipeName;
  endOffset: number;
}

/** Orders the bytes of two pipes for one reader as they arrived; no chunk has bytes of both. */
export class PipeOutput {
  readonly #queue: OutputQueue;
  /** What is queued, oldest first. */
  readonly #runs: StreamRun[] = [];
  /** What is left of a chunk that had bytes of both pipes. */
  #rest: Chunk | undefined;

  constructor(onRoom: () => void) {
    this.#queue = new OutputQueue(onRoom);
  }

  /** Position after the last byte pushed. */
  get endOffset(): number {
    return this.#queue.endOffset;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Copies bytes in; the caller may reuse its buffer at once. */
  push(from: PipeName, bytes: Uint8Array): void {
    const endOffset = this.#queue.endOffset + bytes.byteLength;
    const newest = this.#runs.at(-1);
    // Before they are queued, since a reader that waits gets them at once.
    if (newest?.from === from) newest.endOffset = endOffset;
    else this.#runs.push({ from, endOffset });
    this.#queue.push(bytes);
  }

  /** What comes next answers an input: it is not merged with more. */
  hurry(): void {
    this.#queue.hurry();
  }

  /** No more bytes will come; what is queued can still be read. */
  end(): void {
    this.#queue.end();
  }

  /** The next chunk, when there is one; see `Pty.read` for what a spare is. */
  async read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    const chunk = this.#rest ?? (await this.#queue.read(spare));
    const [run] = this.#runs;
    if (!chunk || !run) return chunk;
    const { offset, bytes } = chunk;
    const endOffset = offset + bytes.byteLength;
    if (run.endOffset <= endOffset) this.#runs.shift();
    const mark = run.from === "stderr" ? { stream: run.from } : {};
    const isCut = run.endOffset < endOffset;
    const cut = run.endOffset - offset;
    // Each part needs a buffer of its own.
    const own = isCut || this.#rest ? bytes.slice(0, cut) : bytes;
    this.#rest = isCut ? { offset: run.endOffset, bytes: bytes.subarray(cut) } : undefined;
    return { offset, bytes: own, ...mark };
  }
}
