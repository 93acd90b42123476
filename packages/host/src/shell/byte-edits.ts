export const NO_BYTES: Uint8Array<ArrayBuffer> = new Uint8Array(0);

/** In a buffer of their own, so that it can be transferred to another thread. */
export const copyBytes = (bytes: Uint8Array, from = 0, to = bytes.byteLength) =>
  new Uint8Array(bytes.subarray(from, to));

/** In a buffer of their own. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const part of parts) end = copyInto(target, end, part);
  return target;
}

/** Below this, a loop is faster than `TypedArray.set`. */
const FEW_BYTES = 16;

/** Collects replacements from front to back and applies them with one copy. */
export class ByteEdits {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #edits: number[] = [];
  readonly #inserts: Uint8Array[] = [];
  #byteLength: number;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#byteLength = bytes.byteLength;
  }

  /** Ranges come in ascending order. */
  replace(from: number, to: number, by: Uint8Array = NO_BYTES): void {
    if (from === to && by.byteLength === 0) return;
    this.#edits.push(from, to);
    this.#inserts.push(by);
    this.#byteLength += by.byteLength - (to - from);
  }

  /** In a buffer of their own; the original object when nothing changed. */
  result(): Uint8Array<ArrayBuffer> {
    if (this.#inserts.length === 0) return this.#bytes;
    const target = new Uint8Array(this.#byteLength);
    let kept = 0;
    let end = 0;
    for (let index = 0; index < this.#inserts.length; index++) {
      end = copyInto(target, end, this.#bytes.subarray(kept, this.#edits[2 * index]));
      end = copyInto(target, end, this.#inserts[index] ?? NO_BYTES);
      kept = this.#edits[2 * index + 1] ?? kept;
    }
    target.set(this.#bytes.subarray(kept), end);
    return target;
  }
}

function copyInto(target: Uint8Array, at: number, source: Uint8Array): number {
  const { byteLength } = source;
  if (byteLength >= FEW_BYTES) target.set(source, at);
  else for (let index = 0; index < byteLength; index++) target[at + index] = source[index] ?? 0;
  return at + byteLength;
}

/** Bytes that no view shows; an empty range only ends what is open before it. */
export interface OmittedRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges come in ascending order; adjacent ones are merged. */
export function addOmittedRange(cuts: OmittedRange[], from: number, to: number): void {
  const last = cuts.at(-1);
  if (last?.to === from) cuts[cuts.length - 1] = { from: last.from, to };
  else cuts.push({ from, to });
}
