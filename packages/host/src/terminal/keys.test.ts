import { NacreError } from "@nacre/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KEYS } from "./key-codes.ts";
import { encodeKeys, type KeyModes } from "./keys.ts";

const NORMAL: KeyModes = { applicationCursor: false, applicationKeypad: false };
const APPLICATION: KeyModes = { applicationCursor: true, applicationKeypad: true };

const DECODER = new TextDecoder("utf-8", { fatal: true });
const press = (name: string, modes: KeyModes = NORMAL): string =>
  DECODER.decode(encodeKeys([name], modes));

function refusal(names: readonly string[]): NacreError {
  try {
    encodeKeys(names, NORMAL);
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
  throw new Error(`${names.join(" ")} was accepted`);
}

describe("in the spelling of tmux", () => {
  // As `send-keys` of tmux 3.3a wrote them; Home, End and KPEnter as xterm, whose terminal type the programs get.
  test.each([
    ["Enter", "\r"],
    ["Tab", "\t"],
    ["BTab", "\u001b[Z"],
    ["Escape", "\u001b"],
    ["Space", " "],
    ["BSpace", "\u007f"],
    ["Up", "\u001b[A"],
    ["Down", "\u001b[B"],
    ["Right", "\u001b[C"],
    ["Left", "\u001b[D"],
    ["Home", "\u001b[H"],
    ["End", "\u001b[F"],
    ["IC", "\u001b[2~"],
    ["Insert", "\u001b[2~"],
    ["DC", "\u001b[3~"],
    ["Delete", "\u001b[3~"],
    ["PPage", "\u001b[5~"],
    ["PageUp", "\u001b[5~"],
    ["PgUp", "\u001b[5~"],
    ["NPage", "\u001b[6~"],
    ["PageDown", "\u001b[6~"],
    ["PgDn", "\u001b[6~"],
    ["C-c", "\u0003"],
    ["C-C", "\u0003"],
    ["c-c", "\u0003"],
    ["^c", "\u0003"],
    ["^Left", "\u001b[1;5D"],
    ["C-@", "\u0000"],
    ["C-Space", "\u0000"],
    ["C-[", "\u001b"],
    ["C-\\", "\u001c"],
    ["C-]", "\u001d"],
    ["C-^", "\u001e"],
    ["C-_", "\u001f"],
    ["C-?", "\u007f"],
    ["C-/", "\u001f"],
    ["C--", "\u001f"],
    ["C-2", "\u0000"],
    ["C-6", "\u001e"],
    ["M-x", "\u001bx"],
    ["M-X", "\u001bX"],
    ["m-x", "\u001bx"],
    ["M--", "\u001b-"],
    ["M-é", "\u001bé"],
    ["M-Enter", "\u001b\r"],
    ["M-Tab", "\u001b\t"],
    ["M-BTab", "\u001b\u001b[Z"],
    ["M-Escape", "\u001b\u001b"],
    ["M-Space", "\u001b "],
    ["M-BSpace", "\u001b\u007f"],
    ["C-M-x", "\u001b\u0018"],
    ["M-C-x", "\u001b\u0018"],
    ["C-M-Space", "\u001b\u0000"],
    ["S-Up", "\u001b[1;2A"],
    ["M-Up", "\u001b[1;3A"],
    ["M-S-Up", "\u001b[1;4A"],
    ["C-Up", "\u001b[1;5A"],
    ["C-S-Left", "\u001b[1;6D"],
    ["C-M-Left", "\u001b[1;7D"],
    ["C-M-S-Left", "\u001b[1;8D"],
    ["C-Home", "\u001b[1;5H"],
    ["S-End", "\u001b[1;2F"],
    ["C-DC", "\u001b[3;5~"],
    ["M-PPage", "\u001b[5;3~"],
    ["S-F1", "\u001b[1;2P"],
    ["C-F5", "\u001b[15;5~"],
    ["M-F12", "\u001b[24;3~"],
    ["KP0", "0"],
    ["KP9", "9"],
    ["KP+", "+"],
    ["KP-", "-"],
    ["KP*", "*"],
    ["KP/", "/"],
    ["KP.", "."],
    ["KPEnter", "\r"],
    ["M-KP5", "\u001b5"],
    ["a", "a"],
    ["A", "A"],
    ["-", "-"],
    ["+", "+"],
    ["^", "^"],
    ["é", "é"],
    ["😀", "😀"],
  ])("%s sends %j", (name, sequence) => {
    expect(press(name)).toBe(sequence);
  });
});

describe("in other spellings", () => {
  test.each([
    ["A-x", "M-x"],
    ["C-A-Left", "C-M-Left"],
    ["A-S-Right", "M-S-Right"],
    ["S-C-Left", "C-S-Left"],
    ["^[", "Escape"],
    ["^@", "C-@"],
    ["^^", "C-^"],
    ["^?", "C-?"],
    ["M-^c", "C-M-c"],
    ["Ctrl+C", "C-c"],
    ["Ctrl-C", "C-c"],
    ["CTRL+c", "C-c"],
    ["Control+Space", "C-Space"],
    ["Alt+Enter", "M-Enter"],
    ["Meta+x", "M-x"],
    ["Option+Left", "M-Left"],
    ["Ctrl+Shift+Left", "C-S-Left"],
    ["Ctrl+Alt+Delete", "C-M-DC"],
    ["Shift+Tab", "BTab"],
    ["S-Tab", "BTab"],
    ["Shift+a", "A"],
    ["S-A", "A"],
    ["S-é", "É"],
    ["Alt+Shift+x", "M-X"],
    ["Alt++", "M-+"],
    ["enter", "Enter"],
    ["RETURN", "Enter"],
    ["Esc", "Escape"],
    ["Backspace", "BSpace"],
    ["C-Backspace", "C-h"],
    ["Del", "DC"],
    ["ArrowUp", "Up"],
    ["pagedown", "NPage"],
    ["f5", "F5"],
    ["kpenter", "KPEnter"],
    [" ", "Space"],
  ])("%j is %s", (name, same) => {
    expect(press(name)).toBe(press(same));
  });
});

test.each(Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index)))(
  "Ctrl with %s is its control character",
  (letter) => {
    expect(press(`C-${letter}`)).toBe(String.fromCharCode(letter.charCodeAt(0) - 96));
  },
);

test("function keys have the sequences of the terminal type xterm-256color", () => {
  const sequences = Array.from({ length: 24 }, (_, index) => press(`F${index + 1}`).slice(1));
  const plain = "OP OQ OR OS [15~ [17~ [18~ [19~ [20~ [21~ [23~ [24~";
  const shifted = "[1;2P [1;2Q [1;2R [1;2S [15;2~ [17;2~ [18;2~ [19;2~ [20;2~ [21;2~ [23;2~ [24;2~";
  expect(sequences.join(" ")).toBe(`${plain} ${shifted}`);
  expect(press("C-F13")).toBe("\u001b[1;6P");
});

describe("application modes", () => {
  test.each([
    ["Up", "\u001bOA"],
    ["Down", "\u001bOB"],
    ["Right", "\u001bOC"],
    ["Left", "\u001bOD"],
    ["Home", "\u001bOH"],
    ["End", "\u001bOF"],
    ["C-Up", "\u001b[1;5A"],
    ["PageUp", "\u001b[5~"],
    ["F1", "\u001bOP"],
    ["KP0", "\u001bOp"],
    ["KP5", "\u001bOu"],
    ["KP9", "\u001bOy"],
    ["KPEnter", "\u001bOM"],
    ["KP*", "\u001bOj"],
    ["KP+", "\u001bOk"],
    ["KP,", "\u001bOl"],
    ["KP-", "\u001bOm"],
    ["KP.", "\u001bOn"],
    ["KP/", "\u001bOo"],
    ["KP=", "\u001bOX"],
    ["5", "5"],
    ["Enter", "\r"],
  ])("make %s send %j", (name, sequence) => {
    expect(press(name, APPLICATION)).toBe(sequence);
  });

  test("are independent of each other", () => {
    expect(press("Up", { applicationCursor: false, applicationKeypad: true })).toBe("\u001b[A");
    expect(press("KP1", { applicationCursor: true, applicationKeypad: false })).toBe("1");
  });
});

test("keys are sent one after the other", () => {
  expect(DECODER.decode(encodeKeys(["l", "s", "Space", "é", "Enter"], NORMAL))).toBe("ls é\r");
  expect(encodeKeys([], NORMAL)).toHaveLength(0);
});

describe("refused are", () => {
  test.each([
    ["Entr", "Did you mean `Enter`"],
    ["C-Lfet", "`C-Left`"],
    ["Ctrl+PageUpp", "`Ctrl+PageUp`"],
    ["F25", "`F2"],
    ["hello", "send text as `data`"],
    ["C-", "such as `Enter`"],
    ["Super+x", "such as `Enter`"],
    ["", "such as `Enter`"],
    ["\r", "such as `Enter`"],
    ["\u009b", "such as `Enter`"],
    ["\ud800", "such as `Enter`"],
    ["constructor", "such as `Enter`"],
    ["C-__proto__", "such as `Enter`"],
    ["x".repeat(100_000), "such as `Enter`"],
    ["C-".repeat(50_000), "such as `Enter`"],
  ])("the unknown %.20j", (name, suggestion) => {
    const error = refusal(["a", name]);
    expect(error).toMatchObject({ code: "invalid_argument", field: "keys.1" });
    expect(error.message).toContain(`unknown key ${JSON.stringify(name.slice(0, 64))}`);
    expect(error.suggestion).toContain(suggestion);
  });

  test.each([
    ["C-Enter", "`Enter` or `M-Enter`"],
    ["S-Enter", "`Enter` or `M-Enter`"],
    ["C-Tab", "`Tab` or `M-Tab` or `S-Tab`"],
    ["C-S-Tab", "`S-Tab`"],
    ["C-BTab", "`BTab` or `M-BTab`"],
    ["S-Space", "`Space` or `C-Space` or `M-Space`"],
    ["C-Escape", "`Escape`"],
    ["Ctrl+Shift+C", "`C-C`"],
    ["C-é", "`é` or `M-é` or `S-é`"],
    ["C-1", "`1` or `M-1`"],
    ["S-1", "`1` or `M-1`"],
    ["S-ß", "`ß` or `M-ß`"],
    ["C-KP5", "`KP5` or `M-KP5`"],
    ["S-F13", "`F13` or `C-F13` or `M-F13`"],
  ])("the impossible %s", (name, possible) => {
    const error = refusal([name]);
    expect(error).toMatchObject({ code: "invalid_argument", field: "keys.0" });
    expect(error.message).toBe(`no terminal has a code for the key ${JSON.stringify(name)}`);
    expect(error.suggestion).toContain(possible);
  });
});

test("whatever is suggested can be pressed", () => {
  const wrong = fc.tuple(
    fc.constantFrom("", "C-", "Alt+", "S-", "Ctrl+Shift+"),
    fc.oneof(fc.constantFrom(...KEYS.keys()), fc.string({ maxLength: 8 })),
    fc.string({ maxLength: 2 }),
  );
  fc.assert(
    fc.property(wrong, (parts) => {
      const name = parts.join("");
      const suggested = (): readonly string[] => {
        try {
          encodeKeys([name], NORMAL);
          return [];
        } catch (error) {
          const words = error instanceof NacreError ? error.suggestion : "not ours";
          return words.startsWith("This key is")
            ? // One of the keys is a backtick itself.
              [...words.matchAll(/`(.+?)`(?!`)/g)].flatMap((match) => match[1] ?? [])
            : [];
        }
      };
      expect(() => encodeKeys(suggested(), NORMAL)).not.toThrow();
    }),
  );
});
