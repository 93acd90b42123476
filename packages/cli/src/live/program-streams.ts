import { decodeEntry, type OutputEntry } from "./follow-entries.ts";
import { ProgramOutput } from "./program-output.ts";

export interface ProgramStreamsOptions {
  /** Whether lines end for programs as they do in files, though a terminal wrote them; false when absent. */
  readonly hasPlainLines?: boolean;
}

/** The standard streams of this process as those of a program that runs elsewhere: exact where something else reads them, without questions to the terminal where a person does. */
export class ProgramStreams {
  readonly #filters = new Map<NodeJS.WriteStream, ProgramOutput>();
  readonly #stopped = new AbortController();

  readonly #hasPlainLines: boolean;
  /** A carriage return whose line feed may come next. */
  #return = "";

  constructor({ hasPlainLines = false }: ProgramStreamsOptions = {}) {
    this.#hasPlainLines = hasPlainLines;
    // Whoever read it has had enough; the program is told so by its end, not by ours.
    process.stdout.removeAllListeners("error");
    process.stdout.on("error", () => this.#stopped.abort());
  }

  /** Aborts when nobody reads any more. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Writes what a program wrote, and resolves when it was taken. */
  async write(entry: OutputEntry): Promise<void> {
    const bytes = decodeEntry(entry);
    const stream = entry.stream === "stderr" ? process.stderr : process.stdout;
    if (bytes.length === 0 || this.stopped.aborted) return;
    const shown = stream.isTTY ? this.#filterOf(stream).push(bytes) : this.#exact(bytes);
    await new Promise<void>((resolve) => {
      stream.write(shown, () => resolve());
    });
  }

  #exact(bytes: Uint8Array): Uint8Array {
    if (!this.#hasPlainLines) return bytes;
    const text = this.#return + Buffer.from(bytes).toString("latin1");
    this.#return = text.endsWith("\r") ? "\r" : "";
    const whole = this.#return === "" ? text : text.slice(0, -1);
    return Buffer.from(whole.replaceAll("\r\n", "\n"), "latin1");
  }

  #filterOf(stream: NodeJS.WriteStream): ProgramOutput {
    const filter = this.#filters.get(stream) ?? new ProgramOutput();
    this.#filters.set(stream, filter);
    return filter;
  }
}
