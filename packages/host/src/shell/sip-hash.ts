/** "somepseudorandomlygeneratedbytes", SipHash's initial state; low half of each word first. */
const INITIAL = Uint32Array.of(
  0x70736575,
  0x736f6d65,
  0x6e646f6d,
  0x646f7261,
  0x6e657261,
  0x6c796765,
  0x79746573,
  0x74656462,
);

const [V0, V1, V2, V3] = [0, 2, 4, 6] as const;

const HALF = 2 ** 32;

/** 32-bit halves: forged markers can come in floods, and BigInt takes ten times as long. */
const state = new Uint32Array(8);

/**
 * SipHash-2-4-128 of one integer below 2^53. Key and hash are four 32-bit halves, low ones first. `scripts/siphash.sh`
 * computes the same in shells.
 */
export function sipHash(key: Uint32Array, message: number): Uint32Array {
  state.set(INITIAL);
  for (const [index, half] of key.entries()) {
    state[index]! ^= half;
    state[index + V2]! ^= half;
  }
  state[V1]! ^= 0xee;
  absorb(message >>> 0, Math.floor(message / HALF));
  // The last block holds only the message length, in its top byte.
  absorb(0, 8 * 2 ** 24);
  state[V2]! ^= 0xee;
  const hash = new Uint32Array(4);
  squeeze(hash, 0);
  state[V1]! ^= 0xdd;
  squeeze(hash, 2);
  return hash;
}

function absorb(low: number, high: number): void {
  state[V3]! ^= low;
  state[V3 + 1]! ^= high;
  rounds(2);
  state[V0]! ^= low;
  state[V0 + 1]! ^= high;
}

function squeeze(hash: Uint32Array, at: number): void {
  rounds(4);
  for (const half of [0, 1]) {
    hash[at + half] = state[V0 + half]! ^ state[V1 + half]! ^ state[V2 + half]! ^ state[V3 + half]!;
  }
}

function rounds(count: number): void {
  for (let round = 0; round < count; round++) {
    mix(V0, V1, 13);
    swap(V0);
    mix(V2, V3, 16);
    mix(V0, V3, 21);
    mix(V2, V1, 17);
    swap(V2);
  }
}

/** Adds, rotates left by less than 32 bits, then XORs the sum. */
function mix(sum: number, word: number, bits: number): void {
  const low = state[word]!;
  const high = state[word + 1]!;
  const sumLow = state[sum]! + low;
  state[sum] = sumLow;
  state[sum + 1] = state[sum + 1]! + high + (sumLow >= HALF ? 1 : 0);
  state[word] = ((low << bits) | (high >>> (32 - bits))) ^ state[sum]!;
  state[word + 1] = ((high << bits) | (low >>> (32 - bits))) ^ state[sum + 1]!;
}

function swap(word: number): void {
  const low = state[word]!;
  state[word] = state[word + 1]!;
  state[word + 1] = low;
}
