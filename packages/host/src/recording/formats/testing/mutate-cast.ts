export type Random = () => number;

/** Seeded, so that a failure can be repeated. */
export function repeatableRandom(start: number): Random {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NASTY_TEXTS = [
  "1e999",
  "-1",
  "-0.0",
  "NaN",
  "99999999999999999999",
  "9007199254740993",
  "1e-400",
  "null",
  "[[[[[[[[[[[[[[[[[[[[",
  '{"__proto__":{"cols":1}}',
  '"\\ud800"',
  "\\u0000",
  "\ufeff",
  "\r\n",
  "\n\n",
  "# comment\n",
  '"',
  "\\",
  "0x0",
  "65536x1",
  '[0.1,"z",{"a":[1,2]}]\n',
  '[0.1,"x","0"]\n',
  '[1e15,"o","late"]\n',
];

const utf8 = new TextEncoder();

const upTo = (random: Random, end: number): number => Math.floor(random() * end);

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts));

type Mutation = (cast: Uint8Array, random: Random) => Uint8Array<ArrayBuffer>;

/** Ascending; the second is often near the first. */
function rangeIn(cast: Uint8Array, random: Random): readonly [start: number, end: number] {
  const start = upTo(random, cast.length);
  const length = upTo(random, random() < 0.5 ? 16 : cast.length - start);
  return [start, Math.min(cast.length, start + length)];
}

const MUTATIONS: readonly Mutation[] = [
  function flip(cast, random) {
    const flipped = new Uint8Array(cast);
    const at = upTo(random, cast.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << upTo(random, 8));
    return flipped;
  },
  function overwrite(cast, random) {
    const overwritten = new Uint8Array(cast);
    overwritten[upTo(random, cast.length)] = upTo(random, 256);
    return overwritten;
  },
  function cutEnd(cast, random) {
    return new Uint8Array(cast.subarray(0, upTo(random, cast.length + 1)));
  },
  function cutOut(cast, random) {
    const [start, end] = rangeIn(cast, random);
    return joined(cast.subarray(0, start), cast.subarray(end));
  },
  function insert(cast, random) {
    const at = upTo(random, cast.length + 1);
    const text = NASTY_TEXTS[upTo(random, NASTY_TEXTS.length)] ?? "";
    return joined(cast.subarray(0, at), utf8.encode(text), cast.subarray(at));
  },
  function duplicate(cast, random) {
    const [start, end] = rangeIn(cast, random);
    return joined(cast.subarray(0, end), cast.subarray(start, end), cast.subarray(end));
  },
  function replaceNumber(cast, random) {
    const text = Buffer.from(cast).toString("latin1");
    const numbers = [...text.matchAll(/\d+(?:\.\d+)?/g)];
    const found = numbers[upTo(random, numbers.length)];
    if (found === undefined) return new Uint8Array(cast);
    const nasty = NASTY_TEXTS[upTo(random, NASTY_TEXTS.length)] ?? "";
    const end = found.index + found[0].length;
    return joined(cast.subarray(0, found.index), utf8.encode(nasty), cast.subarray(end));
  },
];

/** Damages one to four places, deterministically. */
export function mutateCast(cast: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let mutated: Uint8Array<ArrayBuffer> = new Uint8Array(cast);
  for (let times = 1 + upTo(random, 4); times > 0; times -= 1) {
    const mutate = MUTATIONS[upTo(random, MUTATIONS.length)];
    if (mutate !== undefined && mutated.length > 0) mutated = mutate(mutated, random);
  }
  return mutated;
}
