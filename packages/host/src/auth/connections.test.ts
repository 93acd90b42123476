import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { Connections, MAX_STREAMS_PER_CALLER } from "./connections.ts";

const BOB = CallerId.parse("bob");

test("a caller has so many event streams and no more, each until it is disposed once", () => {
  const connections = new Connections();
  const streams = Array.from({ length: MAX_STREAMS_PER_CALLER }, () => connections.openStream(BOB));
  expect(() => connections.openStream(BOB)).toThrow("bob has 32 event streams open");
  expect(() => connections.openStream(CallerId.parse("eve"))).not.toThrow();
  streams[0]?.[Symbol.dispose]();
  streams[0]?.[Symbol.dispose]();
  expect(() => connections.openStream(BOB)).not.toThrow();
  expect(() => connections.openStream(BOB)).toThrow("bob has 32 event streams open");
});
