import { randomBytes } from "node:crypto";
import { NacreError } from "@nacre/contracts";
import { sipHash } from "./sip-hash.ts";

/** `counter.hash.hash` in decimal, as shells print 64-bit integers. */
const NONCE = /^([1-9]\d{0,15})\.(-?\d{1,19})\.(-?\d{1,19})$/;

// oxlint-disable-next-line no-control-regex -- a marker ends with BEL
const WRITTEN_NONCE = /;nacre=([1-9]\d{0,15}\.-?\d{1,19}\.-?\d{1,19})\u0007/g;

const SECRET = /^-?\d{1,19} -?\d{1,19}$/;

/**
 * Nonces of one shell's markers: a counter and its SipHash under a key that only shell and host know. Nobody can forge
 * one from those seen, and each is good once: a later nonce invalidates all before it.
 */
export class MarkerNonces {
  /** The key as two 64-bit integers; only the shell may learn it. */
  readonly secret: string;
  readonly #key: Uint32Array;
  #counter = 0;

  constructor(secret: string) {
    this.secret = secret;
    this.#key = parseKey(secret);
  }

  static generate(): MarkerNonces {
    const bytes = randomBytes(16);
    return new MarkerNonces(`${bytes.readBigInt64LE(0)} ${bytes.readBigInt64LE(8)}`);
  }

  /** False for the secret of an earlier version. */
  static isSecret(text: string): boolean {
    return SECRET.test(text);
  }

  /** Continues after the newest nonce in the shell's output; undefined where there is none. */
  static resume(secret: string, written: string): MarkerNonces | undefined {
    const nonces = new MarkerNonces(secret);
    for (const [, nonce = ""] of written.matchAll(WRITTEN_NONCE)) nonces.accept(nonce);
    return nonces.#counter === 0 ? undefined : nonces;
  }

  get newest(): string {
    return this.#nonceAt(this.#counter);
  }

  /** Increments the counter, as the shell does. */
  next(): string {
    this.#counter++;
    return this.newest;
  }

  /** Whether this nonce is newer than the last; if so, it and all before it are used up. */
  accept(nonce: string): boolean {
    const counter = Number(NONCE.exec(nonce)?.[1] ?? 0);
    if (counter <= this.#counter || nonce !== this.#nonceAt(counter)) return false;
    this.#counter = counter;
    return true;
  }

  #nonceAt(counter: number): string {
    const { buffer } = sipHash(this.#key, counter);
    const [low = 0n, high = 0n] = new BigInt64Array(buffer);
    return `${counter}.${low}.${high}`;
  }
}

function parseKey(secret: string): Uint32Array {
  if (!SECRET.test(secret)) {
    // The text is the secret, so the message leaves it out.
    throw new NacreError("invalid_argument", "this is not a key for marker nonces", {
      field: "secret",
      suggestion: "Two integers of 64 bits, with a space between them.",
    });
  }
  return new Uint32Array(BigInt64Array.from(secret.split(" "), BigInt).buffer);
}
