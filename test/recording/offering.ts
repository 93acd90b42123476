import { NacreError } from "@nacre/contracts";
import type { Recording } from "../../packages/host/src/recording/recording.ts";
import { bytesAt, type OfferedOutput, type OfferedTerminal } from "./fault-said.ts";

/** Puts out like a program does, whatever becomes of its output, and remembers what that was. */
export class Offering {
  readonly uid: string;
  readonly #recording: Recording;
  readonly #strict: boolean;
  readonly #outputs: OfferedOutput[] = [];
  readonly #problems: string[] = [];
  readonly #pending = new Set<Promise<void>>();
  #offset = 0;
  #markers = 0;

  constructor(uid: string, recording: Recording, { strict }: { readonly strict: boolean }) {
    this.uid = uid;
    this.#recording = recording;
    this.#strict = strict;
  }

  /** Offers output that goes on where the last ended, and after it a marker with the next number. */
  offer(bytes: number): void {
    const offset = this.#offset;
    this.#offset += bytes;
    this.#track(this.#offerOutput(offset, bytes));
    this.#track(this.#offerMarker(`m${++this.#markers}`));
  }

  /** How many appends wait for their answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Resolves once every append has its answer. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** What was offered and what became of it. */
  report(): OfferedTerminal {
    const outputs = this.#outputs.toSorted((a, b) => a.offset - b.offset);
    const { uid } = this;
    return { uid, strict: this.#strict, outputs, markers: this.#markers, problems: this.#problems };
  }

  async #offerOutput(offset: number, bytes: number): Promise<void> {
    const data = bytesAt(this.uid, offset, bytes);
    try {
      const { sequence } = await this.#recording.append({ type: "output", offset, data });
      this.#outputs.push({ offset, bytes, sequence });
    } catch (error) {
      this.#outputs.push({ offset, bytes });
      const isGivenUp = error instanceof NacreError && error.code === "recording_blocked";
      if (!isGivenUp || this.#strict) this.#problems.push(`output at ${offset}: ${String(error)}`);
    }
  }

  async #offerMarker(label: string): Promise<void> {
    try {
      await this.#recording.append({ type: "marker", label });
    } catch (error) {
      this.#problems.push(`marker ${label}: ${String(error)}`);
    }
  }

  #track(append: Promise<void>): void {
    this.#pending.add(append);
    void append.finally(() => this.#pending.delete(append));
  }
}
