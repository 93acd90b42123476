import { expect, test } from "vitest";
import type { Declaration } from "./command.ts";
import { parseWords, refuseToken } from "./parse-words.ts";

const VERB: Declaration = {
  name: "look",
  section: "other",
  summary: "Look",
  arguments: [
    { name: "where", description: "Where" },
    { name: "what", description: "What", isOptional: true },
  ],
  options: [
    { name: "port", short: "p", value: "N", description: "A port" },
    { name: "all", short: "a", description: "All" },
    { name: "env", short: "e", value: "K=V", isMany: true, description: "Variables" },
    { name: "when", value: "WHEN", choices: ["now", "later"], description: "When" },
  ],
  examples: [],
};
const RUNNING: Declaration = {
  name: "exec",
  section: "other",
  summary: "Run",
  rest: { name: "program", description: "Program", isGreedy: true },
  options: VERB.options ?? [],
  examples: [],
};

const parsed = (...words: readonly string[]) => {
  const { options, args, rest } = parseWords(VERB, words);
  return { options: Object.fromEntries(options), args, rest };
};

test.each([
  [["here"], { options: {}, args: ["here"] }],
  [["--port", "0", "here"], { options: { port: ["0"] }, args: ["here"] }],
  [["--port=0", "here"], { options: { port: ["0"] }, args: ["here"] }],
  [["--port=", "here"], { options: { port: [""] }, args: ["here"] }],
  [["-p0", "here"], { options: { port: ["0"] }, args: ["here"] }],
  [["-ap", "0", "here"], { options: { all: [""], port: ["0"] }, args: ["here"] }],
  [["here", "-1"], { options: {}, args: ["here", "-1"] }],
  [["-"], { options: {}, args: ["-"] }],
  [["-e", "A=1", "here", "--env", "B=-x"], { options: { env: ["A=1", "B=-x"] }, args: ["here"] }],
  [["here", "-q", "--json"], { options: { quiet: [""], json: [""] }, args: ["here"] }],
  [["-h"], { options: { help: [""] }, args: [] }],
])("%j is understood", (words, expected) => {
  expect(parsed(...words)).toEqual({ rest: undefined, ...expected });
});

test.each([
  [["--prot", "1", "x"], "look: there is no option --prot; --port?"],
  [["-z", "x"], "look: there is no option -z"],
  [["x", "y", "z"], "look: z is one word too many"],
  [["x", "--port"], "look: --port needs a value, N"],
  [["x", "--all=1"], "look: --all takes no value"],
  [["x", "-p1", "-p2"], "look: --port is given twice"],
  [["x", "--when", "soon"], "look: --when WHEN: soon is not one of now, later"],
  [[], "look: <where> is missing"],
  [["x", "--", "y"], "look: nothing may follow --"],
])("%j is a usage error", (words, message) => {
  expect(() => parseWords(VERB, words)).toThrow(
    expect.objectContaining({ code: "invalid_argument", message }) as Error,
  );
});

test.each([
  [["echo", "-n", "--json"], [], ["echo", "-n", "--json"]],
  [["--all", "echo", "-a"], ["all"], ["echo", "-a"]],
  [["-a", "--", "-strange", "--help"], ["all"], ["-strange", "--help"]],
])("the words of a program are its own in %j", (words, options, rest) => {
  const given = parseWords(RUNNING, words);
  expect([[...given.options.keys()], given.rest]).toEqual([options, rest]);
});

test("a program that is needed must be there", () => {
  expect(() => parseWords(RUNNING, ["--"])).toThrow("exec: <program> is missing");
});

test.each([["--token=abc"], ["--token"], ["-token"]])("%s is refused everywhere", (word) => {
  expect(() => refuseToken(["serve", word, "abc"])).toThrow("is visible to other users");
  expect(() => refuseToken(["exec", "--", "curl", word])).not.toThrow();
});
