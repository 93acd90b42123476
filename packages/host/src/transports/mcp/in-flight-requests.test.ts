import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { InFlightRequests } from "./in-flight-requests.ts";

const ANN = CallerId.parse("ann");

const requestOf = (conversation: string | undefined, signal: AbortSignal): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    signal,
    headers: conversation === undefined ? {} : { "mcp-session-id": conversation },
  });

test("requests are forgotten with their answers", () => {
  const underWay = new InFlightRequests();
  const answered = new AbortController();
  underWay.register(requestOf("c", answered.signal), { id: 1, method: "ping" }, ANN);
  expect(underWay.count).toBe(1);
  answered.abort();
  expect(underWay.count).toBe(0);
});

test("where no conversation is named, nothing is kept", () => {
  const underWay = new InFlightRequests();
  const { signal } = new AbortController();
  underWay.register(requestOf(undefined, signal), { id: 1, method: "ping" }, ANN);
  expect(underWay.count).toBe(0);
});

test("only an answer that opens a conversation names one", () => {
  const underWay = new InFlightRequests();
  const nameOf = (body: object, status = 200): string | null =>
    underWay.assignSession(body, new Response("{}", { status })).headers.get("mcp-session-id");
  expect(nameOf({ id: 1, method: "initialize" })).toMatch(/^[0-9a-f-]{36}$/);
  expect(nameOf({ id: 1, method: "initialize" }, 400)).toBe(null);
  expect(nameOf({ id: 1, method: "tools/list" })).toBe(null);
});

test("a cancellation that is faster than its request ends it all the same, and no other", () => {
  const underWay = new InFlightRequests();
  const { signal } = new AbortController();
  const cancel = { method: "notifications/cancelled", params: { requestId: 7 } };
  underWay.register(requestOf("c", signal), cancel, ANN);
  const call = (conversation: string, id: number): AbortSignal =>
    underWay.register(requestOf(conversation, signal), { id, method: "tools/call" }, ANN);
  expect([call("c", 8).aborted, call("d", 7).aborted, call("c", 7).aborted]).toEqual([
    false,
    false,
    true,
  ]);
});
