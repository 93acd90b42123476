// Second defence after `secretMoment`: the program may end its read between the check and the kernel's delivery, and
// then a shell echoes the secret. The echo is masked here, before anything is recorded.

/** An echo follows right after the input, even on a busy machine; later output is the program's own. */
const GUARD_MS = 5000;

/** A run of a secret as long as this is masked; a shorter one cannot be told from chance. */
const MIN_RUN_BYTES = 8;

/** A secret shorter than this would mask what has nothing to do with it. */
const MIN_SECRET_BYTES = 6;

/** So many secrets are guarded at once; who types more within the time gets the newest guarded. */
const MAX_SECRETS = 8;

const MASK = 0x2a;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

interface GuardedSecret {
  /** One character for each byte. */
  readonly secret: string;
  readonly runBytes: number;
  readonly untilMs: number;
}

/** Masks the echo of secrets typed a moment ago; every byte keeps its position. */
export class EchoGuard implements Disposable {
  readonly #now: () => number;
  #guarded: GuardedSecret[] = [];
  #forget: NodeJS.Timeout | undefined;
  /** The end of the output so far, which may be the beginning of an echo, and which of its bytes are masked. */
  #held: Uint8Array<ArrayBuffer> = new Uint8Array();
  #heldMasked: readonly boolean[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many bytes wait for those that follow. */
  get heldBytes(): number {
    return this.#held.byteLength;
  }

  /** Guards a secret that is about to be typed. */
  guard(typed: Uint8Array): void {
    let end = typed.byteLength;
    while (end > 0 && [CARRIAGE_RETURN, LINE_FEED].includes(typed[end - 1] ?? 0)) end--;
    if (end < MIN_SECRET_BYTES) return;
    const secret = Buffer.from(typed.subarray(0, end)).toString("latin1");
    const runBytes = Math.min(MIN_RUN_BYTES, end);
    this.#guarded = [...this.#guarded, { secret, runBytes, untilMs: this.#now() + GUARD_MS }];
    this.#guarded.splice(0, this.#guarded.length - MAX_SECRETS);
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => (this.#guarded = []), GUARD_MS).unref();
  }

  /** Takes output over and gives it out masked, but for an end that may be the beginning of an echo. */
  take(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const now = this.#now();
    this.#guarded = this.#guarded.filter(({ untilMs }) => untilMs > now);
    if (this.#guarded.length === 0 && this.heldBytes === 0) return bytes;
    const text = Buffer.concat([this.#held, bytes]);
    const shown = text.toString("latin1");
    const masked = Array.from(
      { length: text.byteLength },
      (_, at) => this.#heldMasked[at] === true,
    );
    for (const { secret, runBytes } of this.#guarded) {
      for (let at = 0; at + runBytes <= shown.length; at++) {
        if (secret.includes(shown.slice(at, at + runBytes))) masked.fill(true, at, at + runBytes);
      }
    }
    const end = shown.length - Math.max(0, ...this.#guarded.map((one) => openBytes(one, shown)));
    this.#held = new Uint8Array(text.subarray(end));
    this.#heldMasked = masked.slice(end);
    return maskedBytes(text.subarray(0, end), masked);
  }

  /** Gives out what is held: nothing followed in time. */
  flush(): Uint8Array<ArrayBuffer> {
    const rest = maskedBytes(this.#held, this.#heldMasked);
    this.#held = new Uint8Array();
    this.#heldMasked = [];
    return rest;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#forget);
    this.#guarded = [];
  }
}

/** How many bytes at the end may be the beginning of a run. */
function openBytes({ secret, runBytes }: GuardedSecret, shown: string): number {
  let count = Math.min(runBytes - 1, shown.length);
  while (count > 0 && !secret.includes(shown.slice(-count))) count--;
  return count;
}

/** Memory of its own: output is handed to other threads with its buffer. */
const maskedBytes = (bytes: Uint8Array, masked: readonly boolean[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(bytes, (byte, at) => (masked[at] === true ? MASK : byte));
