import { expect, test } from "vitest";
import { MarkerCodes } from "./marker-codes.ts";

const pair = () => {
  const codes = MarkerCodes.generate();
  return { codes, shell: new MarkerCodes(codes.secret) };
};

const skip = (shell: MarkerCodes, count: number) => {
  for (let index = 0; index < count; index++) shell.next();
};

test("the codes of a secret are the ones that any shell computes", () => {
  const codes = new MarkerCodes("1 5 3 2147483647 2097149 2147483647");
  expect(codes.next()).toBe("8.2145386498");
  expect(codes.next()).toBe(`43.${second("2145386498")}`);
});

/** One more step of the second generator, with integers of any size. */
function second(value: string): string {
  return String((BigInt(value) * 2097149n + 2147483647n) % 2147483648n);
}

test("steps are exact for the largest numbers there can be", () => {
  const codes = new MarkerCodes("2147483647 2097149 2147483647 2147483647 2097149 2147483647");
  let value = "2147483647";
  for (let index = 0; index < 1000; index++) {
    value = second(value);
    expect(codes.next()).toBe(`${value}.${value}`);
  }
});

test("each code is accepted once, in order", () => {
  const { codes, shell } = pair();
  for (let index = 0; index < 100; index++) {
    const code = shell.next();
    expect(codes.accept(code)).toBe(true);
    expect(codes.accept(code)).toBe(false);
  }
});

test("up to sixteen codes may be missing, and are used up then", () => {
  const { codes, shell } = pair();
  const missing = shell.next();
  skip(shell, 15);
  expect(codes.accept(shell.next())).toBe(true);
  expect(codes.accept(missing)).toBe(false);
  skip(shell, 16);
  expect(codes.accept(shell.next())).toBe(true);
});

test("a code too far ahead is refused and changes nothing", () => {
  const { codes, shell } = pair();
  const next = shell.next();
  skip(shell, 16);
  expect(codes.accept(shell.next())).toBe(false);
  expect(codes.accept(next)).toBe(true);
});

test.each(["", ".", "1", "1.", "x.y", "1.2.3", " 1.2", "0x1.2", "1e1.2", "-1.2", "99999999999.1"])(
  "%j is no code",
  (code) => {
    expect(MarkerCodes.generate().accept(code)).toBe(false);
  },
);

test("a code is spelled in one way only", () => {
  const { codes, shell } = pair();
  const code = shell.next();
  expect(codes.accept(`0${code}`)).toBe(false);
  expect(codes.accept(`${code}\n`)).toBe(false);
  expect(codes.accept(code)).toBe(true);
});

test("two generated secrets differ", () => {
  expect(MarkerCodes.generate().secret).not.toBe(MarkerCodes.generate().secret);
});

test("a secret is six numbers that every shell can compute with", () => {
  for (let index = 0; index < 100; index++) {
    const [x, a, c, y, b, d, ...rest] = MarkerCodes.generate().secret.split(" ").map(Number);
    expect(rest).toEqual([]);
    expect([a, b].every((factor) => factor! < 2 ** 21 && factor! % 8 === 5)).toBe(true);
    expect([c, d].every((addend) => addend! % 2 === 1)).toBe(true);
    expect([x, c, y, d].every((value) => value! >= 0 && value! < 2 ** 31)).toBe(true);
  }
});

test.each([
  "",
  "1 2 3",
  "1 5 3 1 5 x",
  "-1 5 3 1 5 3",
  "1 4 3 1 5 3",
  "1 5 2 1 5 3",
  "1 5 3 1 5",
  "1 5 3 1 5 3 1",
])("%j is refused as a secret without being repeated in the message", (secret) => {
  expect(() => new MarkerCodes(secret)).toThrow(/^these are not the numbers/);
});

test("codes go on behind the newest one that the shell wrote, and older ones are used up", () => {
  const { codes, shell } = pair();
  const written = Array.from({ length: 40 }, () => shell.next());
  const [oldest = ""] = written;
  // Noise, and an old code that somebody repeats at the end.
  const text = `version 1.2 ${written.join(" text ")} 9999999999.1 ${oldest}`;
  const resumed = MarkerCodes.resume(codes.secret, text);
  expect(written.map((code) => resumed?.accept(code))).toEqual(written.map(() => false));
  expect(resumed?.accept(shell.next())).toBe(true);
});

test("codes cannot go on where the shell wrote none, or those of another", () => {
  const { codes } = pair();
  expect(MarkerCodes.resume(codes.secret, "")).toBeUndefined();
  expect(MarkerCodes.resume(codes.secret, `1.2 ${pair().shell.next()}`)).toBeUndefined();
});
