import { setImmediate } from "node:timers/promises";
import { TerminalId } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import {
  CREDIT_BYTES,
  MAX_FRAME_BYTES,
  type MessageSink,
  SendQueue,
  type SentCallback,
  type SocketMessage,
} from "../../socket/client-socket.ts";
import type { AttachmentMessage } from "./attached-terminal.ts";
import { ConnectEncoder } from "./connect-socket.ts";
import { Viewer } from "./viewer.ts";

/** A socket whose network takes a frame when it is told to. */
class SlowSocket implements MessageSink {
  readonly sent: SocketMessage[] = [];
  readonly #callbacks: SentCallback[] = [];
  /** Whether it takes nothing more, as one that is closing. */
  isClosing = false;

  send(frame: SocketMessage, _options: unknown, handleSent: SentCallback): void {
    if (this.isClosing) return handleSent(new Error("the socket is not open"));
    this.sent.push(frame);
    this.#callbacks.push(handleSent);
  }

  get bytes(): number {
    return this.sent.reduce((sum, frame) => sum + frame.length, 0);
  }

  /** Takes what was sent; lets everybody do what follows from it. */
  async take(count = Infinity): Promise<void> {
    for (let taken = 0; taken < count; taken++) {
      const callback = this.#callbacks.shift();
      if (!callback) break;
      callback();
    }
    await setImmediate();
  }
}

const CURRENT = new Date(Date.now() + 1e9).toISOString();
const OLD = new Date(0).toISOString();

function output(sequence: number, bytes: number, occurredAt = OLD): AttachmentMessage {
  const view = new Uint8Array(bytes).fill(sequence);
  const place = { sequence, occurredAt, elapsedMs: 0, offset: 0 };
  const id = "terminal_recording_entry:a" as const;
  const terminalId = TerminalId.parse("terminal:a");
  return {
    kind: "entry",
    entry: { ...place, id: id as never, terminalId, type: "output", data: view },
    view,
  };
}

/** A feed of these messages that says how many were fetched and how often it was skipped. */
class Feed {
  fetched = 0;
  skips = 0;
  /** The newest entry whose bytes were released. */
  released = 0;
  readonly #messages: AttachmentMessage[];

  constructor(messages: readonly AttachmentMessage[]) {
    this.#messages = [...messages];
  }

  next(): Promise<AttachmentMessage | undefined> {
    this.fetched++;
    return Promise.resolve(this.#messages.shift());
  }

  release(sequence: number): void {
    this.released = sequence;
  }

  skip(): Promise<void> {
    this.skips++;
    return Promise.resolve();
  }
}

const many = (count: number, bytes: number, occurredAt?: string): AttachmentMessage[] =>
  Array.from({ length: count }, (_, index) => output(index + 1, bytes, occurredAt));

function show(
  messages: readonly AttachmentMessage[],
  options: { readonly maxBehindMs?: number } = {},
) {
  const socket = new SlowSocket();
  const feed = new Feed(messages);
  const outlet = outletTo(socket);
  const viewer = new Viewer({
    terminal: feed,
    outlet,
    wire: new ConnectEncoder(false),
    ...options,
  });
  return { socket, feed, viewer, running: viewer.run() };
}

const outletTo = (socket: SlowSocket, maxBytes = CREDIT_BYTES): SendQueue =>
  new SendQueue(socket, { maxBytes, handleProgress: () => undefined });

describe("a viewer", () => {
  test("gets what is ready together as one frame", async () => {
    const { socket, running } = show(many(100, 100));
    await running;
    await setImmediate();
    expect(socket.sent.map((frame) => frame.length)).toEqual([10_000]);
  });

  test("gets frames of a bounded size, and every byte in order", async () => {
    const messages = many(80, 5000);
    const { socket, running } = show(messages);
    await setImmediate();
    await socket.take();
    await running;
    await setImmediate();
    expect(socket.sent.every((frame) => frame.length <= MAX_FRAME_BYTES)).toBe(true);
    const all = messages.flatMap((message) =>
      "view" in message && message.view ? message.view : [],
    );
    const sent = socket.sent.map((frame) => Buffer.from(frame));
    expect(Buffer.concat(sent).equals(Buffer.concat(all))).toBe(true);
  });

  test("gets a large piece as it is, without a copy", async () => {
    const messages = many(1, MAX_FRAME_BYTES);
    const { socket, running } = show(messages);
    await running;
    await setImmediate();
    expect(messages[0]).toHaveProperty("view", socket.sent[0]);
  });

  test("is done with bytes when the network has taken all of them, and not before", async () => {
    const { socket, feed, running } = show([output(1, MAX_FRAME_BYTES), output(2, 10)]);
    await running;
    await setImmediate();
    expect([socket.sent.length, feed.released]).toEqual([2, 0]);
    await socket.take(1);
    expect(feed.released).toBe(1);
    await socket.take(1);
    expect(feed.released).toBe(2);
  });

  test("is not done with bytes when its socket closes before the network has taken those before", async () => {
    const { socket, feed, viewer, running } = show(many(10, MAX_FRAME_BYTES));
    await setImmediate();
    expect(socket.sent.length).toBeGreaterThan(0);
    socket.isClosing = true;
    // The network takes the first; for the next there is room then, but no socket.
    await socket.take(1);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(feed.released).toBe(1);
    viewer[Symbol.dispose]();
    await running;
  });

  test("that takes nothing makes nothing be fetched beyond its credit", async () => {
    const { socket, feed, viewer, running } = show(many(100, MAX_FRAME_BYTES));
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(socket.bytes).toBeLessThanOrEqual(CREDIT_BYTES);
    expect(feed.fetched).toBeLessThanOrEqual(CREDIT_BYTES / MAX_FRAME_BYTES);
    viewer[Symbol.dispose]();
    await running;
  });

  test("that kept us waiting for too long is skipped forward, and one that kept up is not", async () => {
    const slow = show(many(20, MAX_FRAME_BYTES), { maxBehindMs: 0 });
    for (let turn = 0; turn < 30; turn++) await slow.socket.take(1);
    await slow.running;
    expect(slow.feed.skips).toBeGreaterThan(0);
    const fast = show(many(20, MAX_FRAME_BYTES, CURRENT), { maxBehindMs: 1000 });
    for (let turn = 0; turn < 30; turn++) await fast.socket.take();
    await fast.running;
    expect(fast.feed.skips).toBe(0);
  });

  test("ends when it is disposed, however much waits", async () => {
    const { viewer, running } = show(many(100, MAX_FRAME_BYTES));
    await setImmediate();
    viewer[Symbol.dispose]();
    expect(await running).toBeUndefined();
  });
});

describe("viewers of one socket", () => {
  test("take turns, so that one with much to tell does not keep the others waiting", async () => {
    const socket = new SlowSocket();
    const outlet = outletTo(socket, MAX_FRAME_BYTES);
    const feeds = [many(20, MAX_FRAME_BYTES), many(20, MAX_FRAME_BYTES), many(2, 10)];
    const viewers = feeds.map(
      (messages) =>
        new Viewer({ terminal: new Feed(messages), outlet, wire: new ConnectEncoder(false) }),
    );
    const running = Promise.all(viewers.map((viewer) => viewer.run()));
    for (let turn = 0; turn < 60; turn++) await socket.take(1);
    await running;
    const small = socket.sent.findIndex((frame) => frame.length === 20);
    expect(small).toBeGreaterThanOrEqual(0);
    expect(small).toBeLessThanOrEqual(3);
    expect(socket.sent).toHaveLength(41);
  });
});
