import { classifyReply } from "./replies.ts";

const QUERY = Buffer.from("\u001b[6n");

/** An emulator answers as soon as it has drawn the question; what looks like an answer later was typed. */
const ANSWERING_MS = 2000;

/** Knows whether a viewer's emulator was asked for the cursor's place, because its answer can look like a key. */
export class CursorQueries {
  readonly #now: () => number;
  #unanswered = 0;
  #askedAtMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Looks through output on its way to the viewer. */
  note(output: Uint8Array): void {
    const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    for (let at = bytes.indexOf(QUERY); at !== -1; at = bytes.indexOf(QUERY, at + QUERY.length)) {
      if (this.#isOver) this.#unanswered = 0;
      this.#unanswered++;
      this.#askedAtMs = this.#now();
    }
  }

  /** Whether input is nothing but answers of the viewer's emulator. */
  isReply(input: Uint8Array): boolean {
    const kind = classifyReply(input);
    if (kind !== "maybeReply") return kind === "reply";
    if (this.#unanswered === 0 || this.#isOver) return false;
    this.#unanswered--;
    return true;
  }

  get #isOver(): boolean {
    return this.#now() - this.#askedAtMs > ANSWERING_MS;
  }
}
