import { randomBytes } from "node:crypto";
import { NacreError } from "@nacre/contracts";
import { sipHash } from "./sip-hash.ts";

/** `counter.hash.hash`, in decimal as shells print integers of 64 bits. */
const NONCE = /^([1-9]\d{0,15})\.(-?\d{1,19})\.(-?\d{1,19})$/;

// oxlint-disable-next-line no-control-regex -- a marker ends with BEL
const WRITTEN_NONCE = /;nacre=([1-9]\d{0,15}\.-?\d{1,19}\.-?\d{1,19})\u0007/g;

const SECRET = /^-?\d{1,19} -?\d{1,19}$/;

/**
 * The nonces of one shell's markers: a counter and its SipHash under a key that only the shell and the host know. Who has
 * seen any number of nonces cannot make another, and each is good once: a later one uses up all before it.
 */
export class MarkerNonces {
  /** What the shell must be told, and nobody else: the key, as two integers of 64 bits. */
  readonly secret: string;
  readonly #key: Uint32Array;
  #counter = 0;

  constructor(secret: string) {
    this.secret = secret;
    this.#key = parseKey(secret);
  }

  /** Nonces with a new secret that nobody can guess. */
  static generate(): MarkerNonces {
    const bytes = randomBytes(16);
    return new MarkerNonces(`${bytes.readBigInt64LE(0)} ${bytes.readBigInt64LE(8)}`);
  }

  /** Tells whether a text can be a secret; that of an earlier version cannot. */
  static isSecret(text: string): boolean {
    return SECRET.test(text);
  }

  /** Nonces that go on behind the newest one in what the shell wrote; undefined where none of its nonces is there. */
  static resume(secret: string, written: string): MarkerNonces | undefined {
    const nonces = new MarkerNonces(secret);
    for (const [, nonce = ""] of written.matchAll(WRITTEN_NONCE)) nonces.accept(nonce);
    return nonces.#counter === 0 ? undefined : nonces;
  }

  /** The nonce of the last marker. */
  get newest(): string {
    return this.#nonceAt(this.#counter);
  }

  /** Counts on and tells the nonce of the next marker, as the shell does. */
  next(): string {
    this.#counter++;
    return this.newest;
  }

  /** Tells whether this is a nonce that comes behind the last one; then it and all before it are used up. */
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
    // The text stays out of the message: it is the secret.
    throw new NacreError("invalid_argument", "this is not a key for marker nonces", {
      field: "secret",
      suggestion: "Two integers of 64 bits, with a space between them.",
    });
  }
  return new Uint32Array(BigInt64Array.from(secret.split(" "), BigInt).buffer);
}
