import {
  EntityEventsInput,
  FindRecordingEntriesInput,
  parse,
  ReadOutputInput,
  SearchQuery,
} from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createQueryDecoder } from "./decode-query.ts";

const id = "terminal:a1";

describe("a query", () => {
  test("gives numbers, arrays by repetition and nested objects by dots", () => {
    const output = createQueryDecoder(ReadOutputInput);
    const query = "position.after=5&position.offset=1024&maxBytes=10&view=raw";
    expect(parse(ReadOutputInput, { id, ...output(query) })).toEqual({
      id,
      position: { after: 5, offset: 1024 },
      maxBytes: 10,
      view: "raw",
    });
    const find = createQueryDecoder(FindRecordingEntriesInput);
    expect(find("types=input&types=output&limit=2")).toEqual({
      types: ["input", "output"],
      limit: 2,
    });
    expect(find("types=input")).toEqual({ types: ["input"] });
  });

  test("gives text where the schema takes text, also when it looks like something else", () => {
    const search = createQueryDecoder(SearchQuery);
    const query = "text=404&command=true&owner.entityName=Task&owner.entityId=7&context=2";
    expect(search(query)).toEqual({
      text: "404",
      command: "true",
      owner: { entityName: "Task", entityId: "7" },
      context: 2,
    });
  });

  test("gives a number where a union has words and numbers", () => {
    const search = createQueryDecoder(SearchQuery);
    expect(search("exit=failure")).toEqual({ exit: "failure" });
    expect(search("exit=-9")).toEqual({ exit: -9 });
  });

  test("is decoded as forms are", () => {
    const search = createQueryDecoder(SearchQuery);
    expect(search("text=a+b%20c%2B%26%3D%C3%A9")).toEqual({ text: "a b c+&=é" });
    expect(search("text=a=b&&")).toEqual({ text: "a=b" });
    expect(search("text")).toEqual({ text: "" });
    expect(search("")).toEqual({});
  });

  test("gives booleans only as JSON spells them", () => {
    const decode = createQueryDecoder(z.strictObject({ purge: z.boolean().optional() }));
    expect([decode("purge=true"), decode("purge=false"), decode("purge=1")]).toEqual([
      { purge: true },
      { purge: false },
      { purge: "1" },
    ]);
  });
});

describe("what is no value of its type", () => {
  const find = createQueryDecoder(FindRecordingEntriesInput);

  test.each([
    "1e400",
    "0x10",
    "01",
    " 1",
    "1_000",
    "NaN",
    "Infinity",
    "",
    "1.",
    "+1",
    "1".repeat(40),
  ])("stays text and is refused by the schema: %j", (text) => {
    const value = { terminalId: id, ...find(`limit=${encodeURIComponent(text)}`) };
    expect(() => parse(FindRecordingEntriesInput, value)).toThrow(/^limit: /);
  });

  test("under a name that the schema does not know is refused by that name", () => {
    const value = { terminalId: id, ...find("size.cols=80") };
    expect(() => parse(FindRecordingEntriesInput, value)).toThrow(/^size: /);
    const output = { id, ...createQueryDecoder(ReadOutputInput)("position.after=1&position.at=2") };
    expect(() => parse(ReadOutputInput, output)).toThrow(/^position.at: /);
  });

  test.each([
    ["limit=1&limit=2", "limit: is given more than once"],
    ["position.after=1&position=2", "position: is given more than once"],
    ["position=2&position.after=1", "position.after: is given more than once"],
    ["__proto__=1", "is not a parameter name"],
    ["a.__proto__.polluted=1", "is not a parameter name"],
    ["constructor.prototype=1", "is not a parameter name"],
    ["a.b.c.d.e=1", "is not a parameter name"],
    ["a=%", "a: is not encoded"],
    ["%ff=1", "the query: is not encoded"],
    [`a=1${"&b=1".repeat(300)}`, "more than 256 parts"],
  ])("%s is refused", (query, message) => {
    expect(() => createQueryDecoder(ReadOutputInput)(query)).toThrow(message);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

test("channels are repeated", () => {
  const decode = createQueryDecoder(EntityEventsInput);
  expect(decode("channel=*&channel=terminal:*.*&after=x-1")).toEqual({
    channel: ["*", "terminal:*.*"],
    after: "x-1",
  });
});
