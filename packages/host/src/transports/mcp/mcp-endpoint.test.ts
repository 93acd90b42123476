import { type Caller, CallerId, NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { CallContext } from "../../operations/call-context.ts";
import { McpEndpoint } from "./mcp-endpoint.ts";

const callerNamed = (name: string): Caller => ({ id: CallerId.parse(name), scope: "agent" });

const contextOf = (name: string): CallContext => ({ caller: callerNamed(name), via: "mcp" });

type Call = (name: string, input: unknown, context: CallContext) => Promise<never>;

const endpointOver = (call: Call) => {
  const problems: unknown[] = [];
  const endpoint = new McpEndpoint({
    operations: { call },
    version: "0.1.0",
    handleProblem: (error) => void problems.push(error),
  });
  return { endpoint, problems };
};

const post = (headers: Record<string, string> = {}, signal?: AbortSignal): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
  });

const useOf = (name: string, given: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: given },
});

test("each message is answered for the caller that sent it", async () => {
  const asked: string[] = [];
  const { endpoint } = endpointOver(async (name, _input, { caller, via }) => {
    asked.push(`${caller.id} ${via} ${name}`);
    return { terminals: [], truncated: false } as never;
  });
  await using _endpoint = endpoint;
  for (const name of ["ann", "bob"]) {
    const answer = await endpoint.answer(post(), useOf("terminal_list"), contextOf(name));
    expect(await answer.text()).toContain(String.raw`{\"terminals\":[]`);
  }
  expect(asked).toEqual(["ann mcp listTerminals", "bob mcp listTerminals"]);
});

test("a failure is told as a result; only a bug is reported, and says nothing of itself", async () => {
  const failures = [new NacreError("forbidden", "not for you"), new Error("a secret of ours")];
  const { endpoint, problems } = endpointOver(() => Promise.reject(failures.shift()));
  await using _endpoint = endpoint;
  const told = await endpoint.answer(post(), useOf("terminal_list"), contextOf("ann"));
  expect(await told.text()).toContain(String.raw`\"code\":\"forbidden\"`);
  expect(problems).toEqual([]);
  const bug = await (
    await endpoint.answer(post(), useOf("terminal_list"), contextOf("ann"))
  ).text();
  expect(bug).toContain(String.raw`\"code\":\"internal\"`);
  expect(bug).not.toContain("a secret of ours");
  expect(problems).toHaveLength(1);
});

test("a client cancels its own request by a message, and nobody else's", async () => {
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const { endpoint } = endpointOver((_name, _input, { signal }) => {
    asked.resolve(signal);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new Error("gone")));
    });
  });
  await using _endpoint = endpoint;
  const initialize = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  const opened = await endpoint.answer(post(), initialize, contextOf("ann"));
  const name = opened.headers.get("mcp-session-id") ?? "";
  expect(name).not.toBe("");
  const header = { "mcp-session-id": name };
  const answer = endpoint.answer(post(header), useOf("terminal_list"), contextOf("ann"));
  const signal = await asked.promise;
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  for (const [other, headers] of [
    ["bob", header],
    ["ann", { "mcp-session-id": "another" }],
    ["ann", {}],
  ] as const) {
    await endpoint.answer(post(headers), cancel, contextOf(other));
    expect(signal?.aborted).toBe(false);
  }
  const { status } = await endpoint.answer(post(header), cancel, contextOf("ann"));
  expect(status).toBe(202);
  await expect.poll(() => signal?.aborted).toBe(true);
  await (await answer).text();
});

test("a client that goes takes its wait along", async () => {
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const { endpoint } = endpointOver((_name, _input, { signal }) => {
    asked.resolve(signal);
    return new Promise(() => undefined);
  });
  await using _endpoint = endpoint;
  const gone = new AbortController();
  const answer = endpoint.answer(post({}, gone.signal), useOf("terminal_list"), contextOf("ann"));
  const signal = await asked.promise;
  gone.abort();
  await expect.poll(() => signal?.aborted).toBe(true);
  await (await answer).text().catch(() => "");
});
