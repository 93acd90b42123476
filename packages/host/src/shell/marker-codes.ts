import { randomInt } from "node:crypto";
import { NacreError } from "@nacre/contracts";

/** Codes are 31 bits wide: the product of a step then fits the integers of every shell and the doubles of fish. */
const MODULUS = 2 ** 31;

/** A factor below this keeps value × factor + addend under 2^53, up to which doubles are exact. */
const MAX_FACTOR = 2 ** 21;

/** How many codes may be missing before the one that comes: markers of a subshell or a killed line never arrive. */
const MAX_SKIPPED_CODES = 16;

const CODE = /^(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;

const ANY_CODE = /\b\d{1,10}\.\d{1,10}\b/g;

/** A shell uses a few codes for each command; one whose next known code is further away is not followed any more. */
const MAX_RESUMED_STEPS = 50_000;

const SECRET = /^\d+(?: \d+){5}$/;

/** One generator: value × factor + addend, modulo 2^31; every value comes once in 2^31 steps. */
interface Generator {
  readonly value: number;
  readonly factor: number;
  readonly addend: number;
}

/** The fresh codes of one shell's markers; whoever knows the secret can write the next code, and each code is good once. */
export class MarkerCodes {
  /** What the shell must be told, and nobody else: `x a c y b d`, two generators with value, factor and addend. */
  readonly secret: string;
  readonly #first: Generator;
  readonly #second: Generator;
  #x: number;
  #y: number;

  constructor(secret: string) {
    const [x, a, c, y, b, d] = SECRET.test(secret) ? secret.split(" ").map(Number) : [];
    this.secret = secret;
    this.#first = checkedGenerator(x, a, c);
    this.#second = checkedGenerator(y, b, d);
    this.#x = this.#first.value;
    this.#y = this.#second.value;
  }

  /** Codes with a new secret that nobody can guess. */
  static generate(): MarkerCodes {
    return new MarkerCodes(`${randomGenerator()} ${randomGenerator()}`);
  }

  /**
   * Codes that go on behind the last one in what the shell wrote; undefined where none of its codes is there. A text that
   * repeats old codes changes nothing: the newest one counts, and nobody but the shell can write a newer one.
   */
  static resume(secret: string, written: string): MarkerCodes | undefined {
    const wanted = new Set(written.match(ANY_CODE));
    // Most steps are told from a code by their first number alone: a host may have to resume a thousand shells at once.
    const firsts = new Set([...wanted].map((code) => Number.parseInt(code, 10)));
    const codes = new MarkerCodes(secret);
    let found: readonly [x: number, y: number] | undefined;
    for (let steps = 0; steps < MAX_RESUMED_STEPS && wanted.size > 0; steps++) {
      codes.#step();
      if (!firsts.has(codes.#x) || !wanted.has(codes.#code)) continue;
      found = [codes.#x, codes.#y];
      steps = 0;
    }
    if (!found) return undefined;
    [codes.#x, codes.#y] = found;
    return codes;
  }

  /** The code of the last marker. */
  get newest(): string {
    return this.#code;
  }

  /** Steps and tells the code of the next marker, as the shell does. */
  next(): string {
    this.#step();
    return this.#code;
  }

  /** Tells whether this is the next code or one of the few after it; then it and all before it are used up. */
  accept(code: string): boolean {
    const match = CODE.exec(code);
    if (!match) return false;
    const wantedX = Number(match[1]);
    const wantedY = Number(match[2]);
    let x = this.#x;
    let y = this.#y;
    for (let skipped = 0; skipped <= MAX_SKIPPED_CODES; skipped++) {
      x = step(this.#first, x);
      y = step(this.#second, y);
      if (x !== wantedX || y !== wantedY) continue;
      this.#x = x;
      this.#y = y;
      return true;
    }
    return false;
  }

  get #code(): string {
    return `${this.#x}.${this.#y}`;
  }

  #step(): void {
    this.#x = step(this.#first, this.#x);
    this.#y = step(this.#second, this.#y);
  }
}

const step = ({ factor, addend }: Generator, value: number): number =>
  (value * factor + addend) % MODULUS;

/** A factor of the form 8n + 5 and an odd addend give the full period. */
const randomGenerator = (): string =>
  `${randomInt(MODULUS)} ${randomInt(MAX_FACTOR / 8) * 8 + 5} ${randomInt(MODULUS / 2) * 2 + 1}`;

function checkedGenerator(value = NaN, factor = NaN, addend = NaN): Generator {
  const isValue = Number.isInteger(value) && value >= 0 && value < MODULUS;
  const isFactor = factor > 0 && factor < MAX_FACTOR && factor % 8 === 5;
  const isAddend = addend > 0 && addend < MODULUS && addend % 2 === 1;
  if (isValue && isFactor && isAddend) return { value, factor, addend };
  // The numbers stay out of the message: they are the secret.
  throw new NacreError("invalid_argument", "these are not the numbers of a marker code generator", {
    field: "secret",
  });
}
