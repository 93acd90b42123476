import { expect, test } from "vitest";
import { AttachKeys, DEFAULT_DETACH_KEYS, parseDetachKeys, type KeyInput } from "./attach-keys.ts";

const keysOf = (text = DEFAULT_DETACH_KEYS): AttachKeys => new AttachKeys(parseDetachKeys(text));

const spell = (typed: KeyInput): string =>
  typed.kind === "action" ? `<${typed.action}>` : Buffer.from(typed.bytes).toString("latin1");

const read = (keys: AttachKeys, ...pieces: readonly string[]): string =>
  pieces
    .flatMap((piece) => keys.push(Buffer.from(piece, "latin1")))
    .map(spell)
    .join("");

test.each([
  ["plain text passes", ["ls -l\r"], "ls -l\r"],
  ["the keys detach", ["ab\x1dd"], "ab<detach>"],
  ["they may come apart", ["\x1d", "d"], "<detach>"],
  ["the other keys do what they are for", ["\x1dt\x1dg\x1d?"], "<take><giveBack><help>"],
  ["a key that is none says so", ["\x1dx"], "<unknown>"],
  ["twice is once for the program", ["a\x1d\x1db"], "a\x1db"],
  [
    "a paste is for the program",
    ["\x1b[200~\x1dd\x1b[201~\x1dd"],
    "\x1b[200~\x1dd\x1b[201~<detach>",
  ],
  [
    "a paste may be cut",
    ["\x1b[20", "0~\x1dd\x1b[2", "01~x\x1dd"],
    "\x1b[200~\x1dd\x1b[201~x<detach>",
  ],
  ["keys of modern keyboards count", ["\x1b[93;5ud"], "<detach>"],
  ["so do those of xterm", ["\x1b[27;5;93~\x1b[100u"], "<detach>"],
] as const)("%s", (_name, pieces, expected) => {
  expect(read(keysOf(), ...pieces)).toBe(expected);
});

test("one key alone detaches, and nothing else is taken from the program", () => {
  expect(read(keysOf("ctrl-q"), "a\x1dt\x11")).toBe("a\x1dt<detach>");
});

test("keys are told as people know them", () => {
  expect(parseDetachKeys("ctrl-],d").words).toBe("Ctrl-] d");
  expect(parseDetachKeys("ctrl-p,ctrl-q")).toEqual({
    prefix: 16,
    detach: 17,
    words: "Ctrl-P Ctrl-Q",
  });
});

test.each(["", "ctrl-", "ctrl-],d,e", "F1", "ctrl-é"])("%j are no keys", (text) => {
  expect(() => parseDetachKeys(text)).toThrow(/is not one or two keys/);
});
