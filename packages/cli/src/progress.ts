import { shownBytes } from "./sizes.ts";

/** A person sees no more changes than these. */
const MIN_INTERVAL_MS = 100;

/** Says on standard error how far long work is, where a terminal shows it, and leaves nothing there. */
export class Progress implements Disposable {
  readonly #isShown: boolean;
  #lastAt = 0;
  #hasText = false;

  constructor(isQuiet: boolean) {
    this.#isShown = process.stderr.isTTY && !isQuiet;
  }

  /** What is done now; said at most a few times per second. */
  say(text: string): void {
    const now = performance.now();
    if (!this.#isShown || now - this.#lastAt < MIN_INTERVAL_MS) return;
    this.#lastAt = now;
    this.#hasText = true;
    process.stderr.write(`\r\u001B[K${text}`);
  }

  [Symbol.dispose](): void {
    if (this.#hasText) process.stderr.write("\r\u001B[K");
  }
}

/** Passes bytes on and says how many there were. */
export async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  { progress, what, total }: { progress: Progress; what: string; total?: number | undefined },
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    const share = total ? ` of ${shownBytes(total)}` : "";
    progress.say(`${what}: ${shownBytes(bytes)}${share}`);
    yield chunk;
  }
}
