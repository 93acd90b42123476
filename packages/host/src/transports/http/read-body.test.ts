import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { hasRequestBody, MAX_BODY_BYTES, readBody } from "./read-body.ts";

function requestWith(headers: Record<string, string>, ...chunks: readonly string[]) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  for (const chunk of chunks) request.push(chunk);
  return request;
}

function whole(...chunks: readonly string[]) {
  const request = requestWith({}, ...chunks);
  request.push(null);
  return request;
}

test("a body is read however it is cut, and none is an empty object", async () => {
  expect(await readBody(whole('{"data":', '"é"', "}"))).toEqual({ data: "é" });
  expect(await readBody(whole())).toEqual({});
});

test.each(["[]", "null", '"text"', "1"])("%s is no object", async (text) => {
  await expect(readBody(whole(text))).rejects.toThrow("the body is not a JSON object");
});

test("a body of the most bytes is read, and one byte more is refused, told or not", async () => {
  const fill = MAX_BODY_BYTES - '{"a":""}'.length;
  expect(await readBody(whole(`{"a":"${"x".repeat(fill)}"}`))).toBeTypeOf("object");
  const tooLarge = { code: "payload_too_large" };
  await expect(readBody(whole(`{"a":"${"x".repeat(fill + 1)}"}`))).rejects.toMatchObject(tooLarge);
  const told = requestWith({ "content-length": String(MAX_BODY_BYTES + 1) });
  await expect(readBody(told)).rejects.toMatchObject(tooLarge);
});

test("a compressed body is refused, as it may be of any size", async () => {
  const request = requestWith({ "content-encoding": "gzip" }, "x");
  await expect(readBody(request)).rejects.toThrow("the body is compressed");
});

test("a body that does not come is not waited for", async () => {
  await expect(readBody(requestWith({}, "{"), 5)).rejects.toMatchObject({ code: "timeout" });
});

test("a connection that ends within a body is noticed", async () => {
  const request = requestWith({}, "{");
  const reading = readBody(request);
  request.destroy();
  await expect(reading).rejects.toMatchObject({ code: "unavailable" });
});

test("a body is seen by its headers", () => {
  expect(hasRequestBody(requestWith({}))).toBe(false);
  expect(hasRequestBody(requestWith({ "content-length": "0" }))).toBe(false);
  expect(hasRequestBody(requestWith({ "content-length": "1" }))).toBe(true);
  expect(hasRequestBody(requestWith({ "transfer-encoding": "chunked" }))).toBe(true);
});
