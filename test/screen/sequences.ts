/** An escape sequence in some bytes. */
export interface FoundSequence {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Its text behind ESC with all numbers alike; strings only by how they begin. */
  readonly kind: string;
}

// oxlint-disable-next-line no-control-regex -- escape sequences are made of these
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g;

/** All escape sequences as programs write them, in order. */
export function* sequencesIn(bytes: Uint8Array): Generator<FoundSequence> {
  for (const { 0: text, index } of Buffer.from(bytes).toString("latin1").matchAll(SEQUENCE)) {
    const isString = /^.[\]PX^_]/.test(text);
    const kind = isString ? text.slice(1, 7) : text.slice(1).replace(/\d+/g, "1");
    yield { from: index, to: index + text.length, text, kind };
  }
}
