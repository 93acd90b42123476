import { CallerId, ClientId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { Envelope } from "./envelope.ts";

const olga = { shape: "lifecycle", callerId: CallerId.parse("olga") } as const;
const rita = { shape: "exitCode", callerId: CallerId.parse("rita") } as const;
const place = { serverSeq: 7, channel: "ahp-terminal:/t1", sequence: 3 };

const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

test("output is spelled once for all", () => {
  const action = { type: "terminal/data", data: 'ü"\u001b[0m\u2028' } as const;
  const envelope = new Envelope({ ...place, action });
  expect(envelope.frame(olga)).toBe(envelope.frame(rita));
  const params = { channel: "ahp-terminal:/t1", serverSeq: 7, action };
  expect(read(envelope.frame(olga))).toEqual({ jsonrpc: "2.0", method: "action", params });
  expect(read(envelope.params(olga))).toEqual(params);
  expect(envelope.action).toEqual(action);
});

test("another name of the channel changes nothing else", () => {
  const action = { type: "terminal/data", data: "x" } as const;
  const envelope = new Envelope({ ...place, channel: "ü:/a", action });
  expect(read(envelope.frame(olga, 'b:/"'))).toMatchObject({ params: { channel: 'b:/"', action } });
  expect(read(envelope.params(rita, "c:/"))).toEqual({ channel: "c:/", serverSeq: 7, action });
});

test("claims and origins are spelled for who reads them", () => {
  const clientId = ClientId.parse("olga#window");
  const action = { type: "terminal/claimed", claim: { kind: "client", clientId } } as const;
  const envelope = new Envelope({ ...place, action, origin: { clientId, clientSeq: 2 } });
  expect(read(envelope.params(olga))).toMatchObject({
    action: { claim: { clientId: "window" } },
    origin: { clientId: "window", clientSeq: 2 },
  });
  expect(read(envelope.params(rita))).toMatchObject({
    action: { claim: { clientId } },
    origin: { clientId, clientSeq: 2 },
  });
  expect(envelope.frame(olga)).toBe(envelope.frame(olga));
});

test("what is rejected is spelled as its client did", () => {
  const action = { type: "terminal/claimed", claim: 7 };
  const origin = { clientId: ClientId.parse("rita#w"), clientSeq: 1 };
  const rejected = new Envelope({ ...place, action, origin, rejectionReason: "no", isOwn: true });
  expect(read(rejected.params(rita))).toEqual({
    channel: place.channel,
    serverSeq: 7,
    action,
    origin: { clientId: "w", clientSeq: 1 },
    rejectionReason: "no",
  });
});

test("whatever a client chose to say counts, as it is kept", () => {
  const [action, clientId] = [{ type: "x" }, ClientId.parse("rita#w")];
  const about = { ...place, action, origin: { clientId, clientSeq: 1 }, isOwn: true };
  const bytesOf = (channel: string, rejectionReason: string): number =>
    new Envelope({ ...about, channel, rejectionReason }).bytes;
  const long = "x".repeat(1000);
  expect(bytesOf(`z:${long}`, "no") - bytesOf("z:", "no")).toBeGreaterThanOrEqual(long.length);
  expect(bytesOf("z:", `no${long}`) - bytesOf("z:", "no")).toBeGreaterThanOrEqual(long.length);
});
