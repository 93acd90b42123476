import { describe, expect, test } from "vitest";
import {
  CreateTerminalParams,
  DispatchActionParams,
  InitializeParams,
  ListSessionsParams,
  parseParams,
  ReconnectParams,
  SubscribeParams,
} from "./params.ts";

const names = (field: string) =>
  expect.objectContaining({ code: -32602, data: expect.objectContaining({ field }) });

const hello = { channel: "ahp-root://", protocolVersions: ["1.0.0"], clientId: "c" };
const again = { channel: "ahp-root:", clientId: "c", lastSeenServerSeq: 4 };
const create = { channel: "ahp-terminal:/t", claim: { kind: "client", clientId: "c" } };

describe("params", () => {
  test.each([["text"], [7], [null], [[]]])("that are %j are refused", (params) => {
    expect(() => parseParams(SubscribeParams, params)).toThrow(names("params"));
  });

  test("that are absent lack every field", () => {
    expect(() => parseParams(SubscribeParams, undefined)).toThrow(names("channel"));
    expect(parseParams(ListSessionsParams, undefined)).toEqual({});
  });

  test("may have keys that are not known", () => {
    const params = { channel: "ahp-root://", delivery: { maxLatencyMs: 5 }, view: 1, _meta: {} };
    expect(parseParams(SubscribeParams, params)).toEqual({ channel: "ahp-root://" });
    expect(parseParams(InitializeParams, { ...hello, capabilities: 7, locale: 0 })).toEqual(hello);
  });
});

describe("initialize", () => {
  test.each([
    [{ ...hello, channel: "ahp-terminal:/x" }, "channel"],
    [{ ...hello, clientId: "" }, "clientId"],
    [{ ...hello, clientId: 7 }, "clientId"],
    [{ channel: "ahp-root://", clientId: "c" }, "protocolVersions"],
    [{ ...hello, initialSubscriptions: "ahp-root://" }, "initialSubscriptions"],
    [{ ...hello, initialSubscriptions: [1] }, "initialSubscriptions.0"],
  ])("with %j names %s", (params, field) => {
    expect(() => parseParams(InitializeParams, params)).toThrow(names(field));
  });

  test.each(["ahp-root:", "ahp-root:/", "agenthost:/root"])("accepts %s as the root", (channel) => {
    expect(parseParams(InitializeParams, { ...hello, channel })).toMatchObject({ channel });
  });
});

describe("reconnect", () => {
  test("takes one number for all channels, or one for each", () => {
    const each = [{ channel: "ahp-root://", lastSeenServerSeq: 3 }];
    const one = { ...again, subscriptions: ["ahp-root://"] };
    expect(parseParams(ReconnectParams, { ...one, windows: { items: [] } })).toEqual(one);
    expect(
      parseParams(ReconnectParams, { channel: "ahp-root://", clientId: "c", subscriptions: each }),
    ).toMatchObject({ subscriptions: each });
  });

  test.each([
    [{ ...again }, "subscriptions"],
    [{ ...again, subscriptions: [7] }, "subscriptions"],
    [{ ...again, subscriptions: ["a", { channel: "b", lastSeenServerSeq: 1 }] }, "subscriptions"],
    [{ ...again, subscriptions: [], lastSeenServerSeq: -1 }, "lastSeenServerSeq"],
    [{ ...again, subscriptions: [], lastSeenServerSeq: 1.5 }, "lastSeenServerSeq"],
    [{ ...again, subscriptions: ["a"], lastSeenServerSeq: undefined }, "lastSeenServerSeq"],
    [{ ...again, subscriptions: [], lastSeenServerSeq: undefined }, "lastSeenServerSeq"],
  ])("with %j names %s", (params, field) => {
    expect(() => parseParams(ReconnectParams, params)).toThrow(names(field));
  });
});

describe("createTerminal", () => {
  test("keeps what it is told", () => {
    const params = { ...create, name: "n", cwd: "file:///", cols: 1, rows: 500, _meta: { a: 1 } };
    expect(parseParams(CreateTerminalParams, params)).toEqual(params);
  });

  test.each([
    [{ claim: create.claim }, "channel"],
    [{ ...create, channel: `x:${"a".repeat(1024)}` }, "channel"],
    [{ channel: create.channel }, "claim"],
    [{ ...create, claim: null }, "claim"],
    [{ ...create, claim: {} }, "claim.kind"],
    [{ ...create, claim: { kind: "nobody" } }, "claim.kind"],
    [{ ...create, claim: { kind: "client" } }, "claim.clientId"],
    [{ ...create, claim: { kind: "session", session: 1 } }, "claim.session"],
    [{ ...create, cols: 0 }, "cols"],
    [{ ...create, cols: "80" }, "cols"],
    [{ ...create, rows: 24.5 }, "rows"],
    [{ ...create, rows: 501 }, "rows"],
    [{ ...create, cwd: 7 }, "cwd"],
    [{ ...create, name: null }, "name"],
  ])("with %j names %s", (params, field) => {
    expect(() => parseParams(CreateTerminalParams, params)).toThrow(names(field));
  });
});

describe("dispatchAction", () => {
  test("leaves the action as it came", () => {
    const params = { channel: "a:b", clientSeq: 1, action: { type: "x", terminal: "a:b" } };
    expect(parseParams(DispatchActionParams, params)).toEqual(params);
  });

  test.each([
    [{ channel: "a:b", action: { type: "x" } }, "clientSeq"],
    [{ channel: "a:b", clientSeq: 1 }, "action"],
    [{ channel: "a:b", clientSeq: 1, action: { type: 1 } }, "action.type"],
  ])("with %j names %s", (params, field) => {
    expect(() => parseParams(DispatchActionParams, params)).toThrow(names(field));
  });
});
