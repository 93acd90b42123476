import { expect, test } from "vitest";
import { encodeQuery, fillPath } from "./http-wire.ts";

test("what is named in the path goes there, and the rest is left", () => {
  const { path, rest } = fillPath("/api/terminals/{id}/commands/{commandId}", {
    id: "terminal:a1",
    commandId: "c 1/..?#",
    limit: 5,
  });
  expect(path).toBe("/api/terminals/terminal:a1/commands/c%201%2F..%3F%23");
  expect(rest).toEqual({ limit: 5 });
});

test("a value that looks like a pattern is only a value", () => {
  expect(fillPath("/a/{id}/b", { id: "$&{id}$1" }).path).toBe("/a/%24%26%7Bid%7D%241/b");
});

test("a query repeats arrays, names what is inside by dots, and leaves out what is absent", () => {
  const query = encodeQuery({
    types: ["input", "output"],
    position: { after: 3, offset: 0 },
    fuzzy: false,
    text: "a&b=ü +",
    missing: undefined,
  });
  expect(query).toBe(
    "?types=input&types=output&position.after=3&position.offset=0&fuzzy=false&text=a%26b%3D%C3%BC+%2B",
  );
  expect(encodeQuery({ missing: undefined })).toBe("");
});
