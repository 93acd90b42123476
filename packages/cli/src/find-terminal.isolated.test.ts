import type { QuickCall } from "@nacre/client/quick";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findTerminal, type NamedTerminal, shortIds } from "./find-terminal.ts";

const live = [
  { id: "terminal:abc1", name: "build", title: "build" },
  { id: "terminal:abd2", title: "web" },
  { id: "terminal:xyz3", name: "twin", title: "ab" },
  { id: "terminal:web", name: "twin", title: "make" },
];
const recorded = [{ id: "terminal:old4", name: "past" }];

const call = ((name: string) =>
  Promise.resolve(
    name === "listTerminals"
      ? { terminals: live, truncated: false }
      : { recordings: recorded, truncated: false },
  )) as unknown as QuickCall;

const find = (word?: string): Promise<NamedTerminal> => findTerminal(word, call);

beforeEach(() => vi.stubEnv("NACRE_TERMINAL_ID", undefined));
afterEach(() => vi.unstubAllEnvs());

test.each([
  ["terminal:abc1", "terminal:abc1"],
  ["abc1", "terminal:abc1"],
  ["abc", "terminal:abc1"],
  ["build", "terminal:abc1"],
  ["x", "terminal:xyz3"],
  ["make", "terminal:web"],
  ["past", "terminal:old4"],
  ["old", "terminal:old4"],
])("%s means %s", async (word, id) => {
  expect(await find(word)).toMatchObject({ id });
});

test("what a program calls itself never comes before an id", async () => {
  expect(await find("web")).toMatchObject({ id: "terminal:web" });
});

test("what may be several names them, and what is none names those there are", async () => {
  await expect(find("ab")).rejects.toMatchObject({
    code: "invalid_argument",
    message: "ab is ambiguous: it matches abc1 (build), abd2",
    details: { candidates: ["terminal:abc1", "terminal:abd2"] },
  });
  await expect(find("twin")).rejects.toMatchObject({ code: "invalid_argument" });
  await expect(find("nope")).rejects.toMatchObject({
    code: "terminal_not_found",
    message: expect.stringContaining("abc1 (build)") as string,
  });
});

test("inside a terminal it is the one that is meant, and outside it must be named", async () => {
  await expect(find()).rejects.toMatchObject({ code: "invalid_argument", field: "terminal" });
  vi.stubEnv("NACRE_TERMINAL_ID", "terminal:abd2");
  expect(await find()).toMatchObject({ id: "terminal:abd2" });
  expect(await find("build")).toMatchObject({ id: "terminal:abc1" });
});

test("ids are as short as they can be told apart", () => {
  const ids = ["terminal:aaaaaaaaaa1", "terminal:aaaaaaaaaa2"];
  expect(ids.map(shortIds(ids))).toEqual(["aaaaaaaaaa1", "aaaaaaaaaa2"]);
  expect(shortIds(["terminal:aaaaaaaaaa1"])("terminal:aaaaaaaaaa1")).toBe("aaaaaaaa");
});
