import { describe, expect, test } from "vitest";
import { encodeErrorResponse, encodeResponse, JsonRpcError, parseMessage } from "./json-rpc.ts";

const message = (fields: object) => ({ jsonrpc: "2.0", ...fields });

describe("a message", () => {
  test.each([[1], [0], [-7], [1.5], ["a"], [""]])("with the id %j is a request", (id) => {
    expect(parseMessage(message({ id, method: "ping", params: {} }))).toEqual({
      kind: "request",
      id,
      method: "ping",
      params: {},
    });
  });

  test("without an id is a notification, also without params", () => {
    expect(parseMessage(message({ method: "x" }))).toEqual({
      kind: "notification",
      method: "x",
      params: undefined,
    });
  });

  test.each([[{ id: 1, result: null }], [{ id: null, error: {} }]])(
    "%j is a response",
    (fields) => {
      expect(parseMessage(message(fields))).toEqual({ kind: "response" });
    },
  );

  test.each([
    [[], null],
    [[message({ id: 1, method: "ping" })], null],
    [7, null],
    [null, null],
    ["ping", null],
    [{ id: 3, method: "ping" }, 3],
    [{ jsonrpc: "1.0", id: "a", method: "ping" }, "a"],
    [message({ id: 4 }), 4],
    [message({ id: 5, method: 1 }), 5],
    [message({ id: null, method: "ping" }), null],
    [message({ id: {}, method: "ping" }), null],
    [message({ id: true, method: "ping" }), null],
    [message({}), null],
  ])("%j is none, and is answered under the id %j", (value, id) => {
    expect(() => parseMessage(value)).toThrow(expect.objectContaining({ code: -32600, id }));
  });
});

describe("an answer", () => {
  test("always has a result", () => {
    expect(encodeResponse(1, undefined)).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
    expect(JSON.parse(encodeResponse("a", { items: [] }))).toEqual({
      jsonrpc: "2.0",
      id: "a",
      result: { items: [] },
    });
  });

  test("of a failure has its data only where there are some", () => {
    expect(encodeErrorResponse(null, new JsonRpcError(-32700, "no JSON"))).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}',
    );
    expect(
      JSON.parse(encodeErrorResponse(2, new JsonRpcError(-32008, "gone", { field: "x" }))),
    ).toMatchObject({
      id: 2,
      error: { data: { field: "x" } },
    });
  });
});
