import { MAX_COMMAND_LINE_LENGTH } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TypedLineModel } from "./command-line-resolver.ts";

const typedAtPrompt = (keys: string): TypedLineModel => {
  const typed = new TypedLineModel();
  typed.startPrompt();
  typed.feed(Buffer.from(keys));
  return typed;
};

const lineOf = (keys: string): string | undefined => typedAtPrompt(keys).takeLines(1);

/** How bash keeps several lines as one in its history. */
const joinAsHistory = (lines: readonly string[]): string => lines.join("; ");

test.for([
  ["plain text", "echo hi\r", "echo hi"],
  ["a line feed in place of a carriage return", "echo hi\n", "echo hi"],
  ["quotes, semicolons and trailing white space", `a 'b;"c' ;  \r`, `a 'b;"c' ;  `],
  ["what was erased", "echo hoo\x7f\x7fi\r", "echo hi"],
  ["what was erased with Ctrl-H", "lx\bs\r", "ls"],
  ["erasing more than there is", "a\x7f\x7f\x7fls\r", "ls"],
  ["an erased emoji", "echo 😀\x7fx\r", "echo x"],
  ["an erased accented character", "é\x7fe\r", "e"],
  ["a line begun anew with Ctrl-U", "rm -rf\x15ls\r", "ls"],
  ["an empty line", "\r", ""],
  ["pasted text", "\x1b[200~echo a\tb\x1b[201~\r", "echo a\tb"],
  ["pasted lines", "\x1b[200~if true\rthen ls\nfi\x1b[201~\r", "if true\nthen ls\nfi"],
  ["text around a paste", "echo \x1b[200~a b\x1b[201~ c\r", "echo a b c"],
  ["an erased line break of a paste", "\x1b[200~a\n\x1b[201~\x7fb\r", "ab"],
  ["text after Ctrl-C", "rm -rf /\x03ls\r", "ls"],
] as const)("%s is known from the keys", ([, keys, line]) => {
  expect(lineOf(keys)).toBe(line);
});

test.for([
  ["an arrow", "\x1b[Aecho\r"],
  ["Tab", "ec\t hi\r"],
  ["Escape", "echo\x1b\r"],
  ["Ctrl-W", "a b\x17\r"],
  ["Ctrl-R", "\x12ls\r"],
  ["Ctrl-D", "ls\x04\r"],
  ["a key pasted literally", "\x1b[200~a\x01b\x1b[201~\r"],
  ["bytes that are no text", "a\xff\r"],
  ["erasing part of a joined character", "e\u0301\x7f\r"],
  ["erasing a flag", "🇩🇪\x7f\r"],
  ["erasing a family", "👨‍👩‍👧\x7f\r"],
  ["erasing after an arrow", "ab\x1b[D\x7f\r"],
  ["Ctrl-U after an arrow", "ab\x1b[D\x15c\r"],
  ["Ctrl-U in several lines", "\x1b[200~a\nb\x1b[201~\x15c\r"],
] as const)("after %s a line is not known", ([, keys]) => {
  const bytes = keys.includes("\xff") ? Buffer.from(keys, "latin1") : Buffer.from(keys);
  const typed = new TypedLineModel();
  typed.startPrompt();
  typed.feed(bytes);
  expect(typed.takeLines(1)).toBeUndefined();
});

test("a line that is not known does not spoil the next one", () => {
  const typed = typedAtPrompt("\x1b[A\rls\r");
  expect([typed.takeLines(1), typed.takeLines(1)]).toEqual([undefined, "ls"]);
});

test("it is told how many lines were sent off and whether they were given up", () => {
  const typed = new TypedLineModel();
  expect(typed.feed(Buffer.from("a\rb\n\x1b[200~c\rd\x1b[201~"))).toEqual({
    submitted: 2,
    interrupted: false,
  });
  expect(typed.feed(Buffer.from("\r\x03"))).toEqual({ submitted: 1, interrupted: true });
  expect(typed.takeLines(1)).toBeUndefined();
});

test("a line may have begun before its prompt, which its report then tells", () => {
  const typed = new TypedLineModel();
  typed.feed(Buffer.from("ec"));
  typed.startPrompt();
  expect(typed.beganAhead).toBe(true);
  typed.feed(Buffer.from("ho  hi\r"));
  expect(typed.beganAhead).toBe(true);
  expect(typed.takeReported("echo hi")).toBe("echo  hi");
  expect(typed.beganAhead).toBe(false);
});

test("keys that a program got are no beginning of a line", () => {
  const typed = typedAtPrompt("cat\r");
  typed.takeLines(1);
  typed.feed(Buffer.from("hello\r\x04"));
  typed.startPrompt();
  typed.feed(Buffer.from("ls\r"));
  expect(typed.beganAhead).toBe(false);
  expect(typed.takeLines(1)).toBe("ls");
});

test("a prompt that is drawn again is still the same one", () => {
  const typed = typedAtPrompt("ec");
  typed.startPrompt();
  typed.feed(Buffer.from("ho hi\r"));
  expect(typed.takeLines(1)).toBe("echo hi");
});

test("keys that another program got do not spoil a reported line", () => {
  const typed = new TypedLineModel();
  typed.feed(Buffer.from("q"));
  typed.startPrompt();
  typed.feed(Buffer.from("if a\rthen b\rfi\r"));
  expect(typed.takeReported("if a; then b; fi")).toBe("if a\nthen b\nfi");
});

test("lines typed ahead of their prompts are found one after the other, past lines that a program read", () => {
  const typed = typedAtPrompt("cat\rhello\r");
  expect(typed.takeReported("cat")).toBe("cat");
  typed.feed(Buffer.from("a &&\rb\rc '\r'\r"));
  typed.startPrompt();
  expect(typed.takeReported("a && b")).toBe("a &&\nb");
  typed.startPrompt();
  expect(typed.takeReported("c '\n'")).toBe("c '\n'");
  expect(typed.takeReported("c '\n'")).toBeUndefined();
});

test("text that does not fit is forgotten, and what follows is known again", () => {
  const long = "x".repeat(2 * MAX_COMMAND_LINE_LENGTH + 1);
  const typed = typedAtPrompt(`${long}\rls\r`);
  expect([typed.takeLines(1), typed.takeLines(1)]).toEqual([undefined, "ls"]);
  const many = typedAtPrompt("\r".repeat(5 * MAX_COMMAND_LINE_LENGTH) + "ls\r");
  expect(many.takeLines(2 * MAX_COMMAND_LINE_LENGTH + 1)).toBeUndefined();
});

const textCharacter = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  // oxlint-disable-next-line no-control-regex -- only text is wanted here
  .filter((character) => /^[^\u0000-\u001f\u007f-\u009f\ufffd\p{M}\p{Cs}\u200d]$/u.test(character));
const simpleCharacter = fc.oneof(
  fc.constantFrom("a", "b", " ", ";", "'", '"', "\\", "#", "$", "é", "漢", "😀"),
  textCharacter.filter((one) => !/[\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(one)),
);
const key = fc.oneof(
  { weight: 8, arbitrary: simpleCharacter },
  { weight: 2, arbitrary: fc.constantFrom("\x7f", "\b") },
  { weight: 1, arbitrary: fc.constant("\x15") },
  { weight: 1, arbitrary: fc.constant("\x03") },
  { weight: 2, arbitrary: fc.constantFrom("\r", "\n") },
  {
    weight: 1,
    arbitrary: fc.array(simpleCharacter).map((text) => `\x1b[200~${text.join("")}\x1b[201~`),
  },
);

/** The same rules in the simplest words, for whole keys. */
function linesOf(keys: readonly string[]): readonly string[] {
  let lines: string[] = [];
  let current: string[] = [];
  for (const one of keys) {
    if (one === "\x7f" || one === "\b") current.pop();
    else if (one === "\x15") current = [];
    else if (one === "\x03") [lines, current] = [[], []];
    else if (one === "\r" || one === "\n") {
      lines.push(current.join(""));
      current = [];
    } else {
      const text = one.startsWith("\x1b") ? one.slice(6, -6) : one;
      current.push(...Array.from(text));
    }
  }
  return lines;
}

const takeAll = (typed: TypedLineModel, count: number) =>
  Array.from({ length: count + 1 }, () => typed.takeLines(1));

test("what is typed, erased, pasted and sent is what the keys say", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const lines = linesOf(keys);
      expect(takeAll(typedAtPrompt(keys.join("")), lines.length)).toEqual([...lines, undefined]);
    }),
    { numRuns: 500 },
  );
});

test("it does not matter how input is cut", () => {
  const anyKey = fc.oneof(key, fc.constantFrom("\x1b", "\x1b[A", "\t", "\x1b[200~", "\x1b[201~"));
  fc.assert(
    fc.property(
      fc.array(anyKey, { maxLength: 40 }),
      fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 20 }),
      (keys, sizes) => {
        const bytes = Buffer.from(keys.join(""));
        const whole = new TypedLineModel();
        const { submitted } = whole.feed(bytes);
        const cut = new TypedLineModel();
        let counted = 0;
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = (sizes[turn % sizes.length] ?? 0) + 1;
          counted += cut.feed(bytes.subarray(at, at + size)).submitted;
          at += size;
        }
        expect(counted).toBe(submitted);
        expect(takeAll(cut, submitted)).toEqual(takeAll(whole, submitted));
      },
    ),
    { numRuns: 500 },
  );
});

test("lines that a history joined are found as they were typed, whatever was typed around them", () => {
  const line = fc
    .array(fc.constantFrom("a", "b", " ", "'", "|", "漢", "x"), { minLength: 1, maxLength: 8 })
    .map((parts) => `${parts.join("")}.`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), line, (lines, next) => {
      const typed = typedAtPrompt(`${lines.join("\r")}\r${next}\r`);
      expect(typed.takeReported(joinAsHistory(lines))).toBe(lines.join("\n"));
      expect(typed.takeReported(next)).toBe(next);
    }),
    { numRuns: 500 },
  );
});

test("no input of any kind makes it fail or take long", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), (bytes, reported) => {
      const typed = new TypedLineModel();
      typed.feed(bytes);
      typed.startPrompt();
      typed.feed(bytes);
      const taken = typed.takeReported(reported);
      expect(taken ?? "").not.toContain("\0");
    }),
    { numRuns: 500 },
  );
  // What took much longer would be ended by the timeout of the test.
  const typed = typedAtPrompt("a\r".repeat(MAX_COMMAND_LINE_LENGTH / 2));
  typed.startPrompt();
  typed.feed(Buffer.from("a\r".repeat(1000)));
  expect(typed.takeReported(`${"a".repeat(MAX_COMMAND_LINE_LENGTH)}b`)).toBeUndefined();
});
