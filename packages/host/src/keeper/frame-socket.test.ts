import { once } from "node:events";
import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { FrameSocket } from "./frame-socket.ts";
import { FRAME_TYPES, FrameReader } from "./frames.ts";

const ANSWER = { type: FRAME_TYPES.answer, pty: 0, value: 1 };
const OUTPUT = { type: FRAME_TYPES.output, pty: 1, value: 0 };

/** A socket whose calls of the kernel are told: which frames each had. */
class Calls extends Duplex {
  readonly calls: number[][] = [];
  readonly #told: number[] = [];
  readonly #reader = new FrameReader({
    roomFor: () => undefined,
    handleFrame: ({ type }) => void this.#told.push(type),
  });

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    handleWritten: (error?: Error) => void,
  ): void {
    for (const { chunk } of chunks) this.#reader.push(chunk);
    this.calls.push(this.#told.splice(0));
    this.emit("call");
    handleWritten();
  }
}

const openWire = () => {
  const socket = new Calls();
  // A FrameSocket only writes to it.
  return { socket, wire: new FrameSocket(socket as unknown as Socket) };
};

test("a frame that can wait goes with the next one, in one call", async () => {
  const { socket, wire } = openWire();
  wire.sendSoon(ANSWER);
  expect(socket.calls).toEqual([]);
  wire.send(OUTPUT, new Uint8Array([120]));
  await once(socket, "call");
  expect(socket.calls).toEqual([[FRAME_TYPES.answer, FRAME_TYPES.output]]);
});

test("a frame that can wait does not wait for long, and none is said twice", async () => {
  const { socket, wire } = openWire();
  wire.sendSoon(ANSWER);
  await once(socket, "call");
  wire.send(OUTPUT, new Uint8Array([120]));
  wire.sendSoon(ANSWER);
  await once(socket, "call");
  expect(socket.calls).toEqual([[FRAME_TYPES.answer], [FRAME_TYPES.output, FRAME_TYPES.answer]]);
});

test("what waits is said before the end", async () => {
  const { socket, wire } = openWire();
  wire.sendSoon(ANSWER);
  wire.socket.end();
  await once(socket, "finish");
  expect(socket.calls).toEqual([[FRAME_TYPES.answer]]);
});
