import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodePaste } from "./keys.ts";

const DECODER = new TextDecoder("utf-8", { fatal: true });

describe("a paste", () => {
  const paste = (text: string, bracketed: boolean) => DECODER.decode(encodePaste(text, bracketed));

  test("stands between brackets where the program asked for them", () => {
    expect(paste("a é", true)).toBe("\u001b[200~a é\u001b[201~");
    expect(paste("a é", false)).toBe("a é");
  });

  test("ends its lines as the Enter key does", () => {
    expect(paste("a\nb\r\nc\rd\n", true)).toBe("\u001b[200~a\rb\rc\rd\r\u001b[201~");
    expect(paste("a\nb\r\nc\rd\n", false)).toBe("a\rb\rc\rd\r");
  });

  test.each([
    ["a\u001b[201~rm", "arm"],
    ["a\u001b[200~rm", "arm"],
    ["a\u009b201~rm", "arm"],
    ["\u001b[20\u001b[201~1~rm", "[201~rm"],
    ["\u001b\u001b[201~[201~rm", "[201~rm"],
    ["\u0003\u0004\u001a\u0000\u007fa\tb", "a\tb"],
    ["\u0085\u0090a\u009f", "a"],
    ["a\u001b\n", "a\r"],
  ])("of %j cannot press keys or leave its brackets", (text, typed) => {
    expect(paste(text, true)).toBe(`\u001b[200~${typed}\u001b[201~`);
    expect(paste(text, false)).toBe(typed);
  });

  test("of any text has no control character but tab and carriage return inside", () => {
    const unit = fc.constantFrom("\u001b", "[", "2", "0", "1", "~", "\u009b", "\n", "\r", "é");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const left = paste(text, false).replaceAll("\r", "").replaceAll("\t", "");
        expect(left).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
