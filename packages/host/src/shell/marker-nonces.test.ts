import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { requireProgram } from "../testing/require-program.ts";
import { MarkerNonces } from "./marker-nonces.ts";

const pair = () => {
  const codes = MarkerNonces.generate();
  return { codes, shell: new MarkerNonces(codes.secret) };
};

const take = (shell: MarkerNonces, count: number): string[] =>
  Array.from({ length: count }, () => shell.next());

const SCRIPT = fileURLToPath(new URL("scripts/codes.sh", import.meta.url));

describe("R-1", () => {
  test.for(["dash", "bash", "zsh"])(
    "%s computes the codes that the host expects",
    (shell, context) => {
      requireProgram(context, shell);
      for (const codes of [MarkerNonces.generate(), new MarkerNonces("-1 -9223372036854775807")]) {
        const input = `${codes.secret} 0 40\n`;
        const printed = execFileSync(shell, [SCRIPT], { input, encoding: "utf8" });
        expect(printed.split("\n").slice(0, -1)).toEqual(take(codes, 40));
      }
    },
  );

  test("codes do not follow from those before them", () => {
    // What gave the codes of earlier versions away: steps of value × factor + addend, modulo a power of two.
    const { shell } = pair();
    const words = take(shell, 1000).map((code) => code.split(".").slice(1).map(BigInt));
    for (const index of [0, 1]) {
      const values = words.map((pair) => BigInt.asUintN(31, pair[index] ?? 0n));
      expect(linearSteps(values)).toBeLessThan(3);
    }
  });
});

/** How often a value is the one that the three before it foretell, as steps modulo 2^31. */
function linearSteps(values: readonly bigint[]): number {
  const modulus = 2n ** 31n;
  let hits = 0;
  for (let at = 3; at < values.length; at++) {
    const [a = 0n, b = 0n, c = 0n, d = 0n] = values.slice(at - 3, at + 1);
    const difference = BigInt.asUintN(31, b - a);
    if (difference % 2n === 0n) continue;
    const factor = (BigInt.asUintN(31, c - b) * inverse(difference, modulus)) % modulus;
    if (BigInt.asUintN(31, c + factor * (c - b)) === d) hits++;
  }
  return hits;
}

/** The inverse of an odd number modulo a power of two. */
function inverse(value: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let step = 0; step < 5; step++)
    result = (((result * (2n - value * result)) % modulus) + modulus) % modulus;
  return result;
}

test("the hash of a code is SipHash-2-4 with 128 bits", () => {
  // The key 00 01 … 0f and the message 00 01 … 07 of the reference, whose hash is 3b62a9ba 6258f561 0f83e264 f31497b4.
  const message = 0x0706050403020100n;
  const bytes = Buffer.from(Array.from({ length: 16 }, (_, index) => index));
  const input = `${bytes.readBigInt64LE(0)} ${bytes.readBigInt64LE(8)} ${message - 1n} 1\n`;
  const [, low = "", high = ""] = execFileSync("sh", [SCRIPT], { input, encoding: "utf8" })
    .trim()
    .split(".");
  const hash = Buffer.alloc(16);
  hash.writeBigInt64LE(BigInt(low), 0);
  hash.writeBigInt64LE(BigInt(high), 8);
  expect(hash.toString("hex")).toBe("3b62a9ba6258f5610f83e264f31497b4");
});

test("each code is accepted once, in order", () => {
  const { codes, shell } = pair();
  for (const code of take(shell, 100)) {
    expect(codes.accept(code)).toBe(true);
    expect(codes.accept(code)).toBe(false);
  }
});

test("codes may be missing, and are used up then", () => {
  const { codes, shell } = pair();
  const missing = take(shell, 1000);
  expect(codes.accept(shell.next())).toBe(true);
  expect(missing.filter((code) => codes.accept(code))).toEqual([]);
  expect(codes.accept(shell.next())).toBe(true);
});

test("the counter of a code cannot be changed", () => {
  const { codes, shell } = pair();
  const [first = "", second = ""] = take(shell, 2);
  expect(codes.accept(first.replace(/^1\./, "2."))).toBe(false);
  expect(codes.accept(second.replace(/^2\./, "1."))).toBe(false);
  expect(codes.accept(first)).toBe(true);
});

test.each([
  "",
  ".",
  "1",
  "1.2",
  "1.2.3",
  "x.y.z",
  "1.2.3.4",
  " 1.2.3",
  "0.1.2",
  "-1.2.3",
  "1e1.2.3",
])("%j is no code", (code) => {
  expect(MarkerNonces.generate().accept(code)).toBe(false);
});

test("a code is spelled in one way only", () => {
  const { codes, shell } = pair();
  const code = shell.next();
  expect(codes.accept(`0${code}`)).toBe(false);
  expect(codes.accept(`${code}\n`)).toBe(false);
  expect(codes.accept(code)).toBe(true);
});

test("two generated secrets differ", () => {
  expect(MarkerNonces.generate().secret).not.toBe(MarkerNonces.generate().secret);
});

test.each(["", "1", "1 2 3", "1 x", "1  2", "12345 5 7 54321 13 11"])(
  "%j is refused as a secret without being repeated in the message",
  (secret) => {
    expect(MarkerNonces.isSecret(secret)).toBe(false);
    expect(() => new MarkerNonces(secret)).toThrow(/^this is not a key/);
  },
);

const markerOf = (code: string): string => `\u001b]633;A;nacre=${code}\u0007`;

test("codes go on behind the newest one that the shell wrote, and older ones are used up", () => {
  const { codes, shell } = pair();
  const written = take(shell, 40);
  const [oldest = ""] = written;
  // Noise, and an old code that somebody repeats at the end.
  const text = `version 1.2 ${written.map(markerOf).join(" text ")} ${markerOf("99.1.2")}${markerOf(oldest)}`;
  const resumed = MarkerNonces.resume(codes.secret, text);
  expect(written.map((code) => resumed?.accept(code))).toEqual(written.map(() => false));
  expect(resumed?.accept(shell.next())).toBe(true);
});

test("codes cannot go on where the shell wrote none, or those of another", () => {
  const { codes } = pair();
  expect(MarkerNonces.resume(codes.secret, "")).toBeUndefined();
  expect(MarkerNonces.resume(codes.secret, markerOf(pair().shell.next()))).toBeUndefined();
});
