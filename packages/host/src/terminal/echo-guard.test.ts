import fc from "fast-check";
import { expect, test } from "vitest";
import { EchoGuard } from "./echo-guard.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (given: Uint8Array): string => Buffer.from(given).toString();

/** What comes of output in these chunks. */
function shown(guard: EchoGuard, chunks: readonly string[]): string {
  const given = chunks.map((chunk) => text(guard.take(bytes(chunk))));
  return [...given, text(guard.flush())].join("");
}

test("output is the same object where nothing is guarded", () => {
  using guard = new EchoGuard();
  const output = bytes("plain");
  expect(guard.take(output)).toBe(output);
});

test("P-A1: an echo of a secret is masked in its place, also cut by the edge of the screen", () => {
  using guard = new EchoGuard();
  guard.guard(bytes("correct-horse-battery\r"));
  expect(shown(guard, ["$ correct-horse-battery\r\nbash: correct-horse-battery: not found"])).toBe(
    "$ *********************\r\nbash: *********************: not found",
  );
  expect(shown(guard, ["$ correct-horse \rbattery"])).toBe("$ ************* \rbattery");
});

test("an echo that comes key by key is masked", () => {
  using guard = new EchoGuard();
  guard.guard(bytes("correct-horse\r"));
  expect(shown(guard, "$ correct-horse$ ".split(""))).toBe("$ *************$ ");
});

test("what only begins like an echo comes when nothing follows", () => {
  using guard = new EchoGuard();
  guard.guard(bytes("correct-horse\r"));
  expect(text(guard.take(bytes("it is corr")))).toBe("it is ");
  expect(guard.heldBytes).toBe(4);
  expect(text(guard.flush())).toBe("corr");
  expect(shown(guard, ["it is corr", "upt"])).toBe("it is corrupt");
});

test("a short secret is masked as a whole, and one that could be anything not at all", () => {
  using guard = new EchoGuard();
  guard.guard(bytes("471100\r"));
  guard.guard(bytes("42\r"));
  expect(shown(guard, ["471100 47110 42"])).toBe("****** 47110 42");
});

test("after a while it is what a program prints", () => {
  let now = 0;
  using guard = new EchoGuard(() => now);
  guard.guard(bytes("correct-horse\r"));
  now = 5001;
  expect(shown(guard, ["correct-horse"])).toBe("correct-horse");
});

test("every byte keeps its place, however the output is cut, and no run of the secret is left", () => {
  const secret = "aabbabaabb";
  const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "$"), maxLength: 12 }));
  fc.assert(
    fc.property(chunks, (given) => {
      using guard = new EchoGuard();
      guard.guard(bytes(secret));
      const whole = given.join("");
      const masked = shown(guard, given);
      expect(masked).toBe(shown(guard, [whole]));
      expect(masked).toHaveLength(whole.length);
      for (let at = 0; at + 8 <= secret.length; at++) {
        expect(masked).not.toContain(secret.slice(at, at + 8));
      }
    }),
  );
});
