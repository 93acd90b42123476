import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { ClientSocket, type SocketLike } from "./client-socket.ts";

/** A socket that notes what is done with it. */
class FakeSocket extends EventEmitter implements SocketLike {
  readonly OPEN = 1;
  isPaused = false;
  readyState = 1;
  bufferedAmount = 0;
  readonly done: string[] = [];

  send(frame: unknown): void {
    this.done.push(`send ${String(frame)}`);
  }

  ping(): void {
    this.done.push("ping");
  }

  pong(data: Buffer): void {
    this.done.push(`pong ${data.toString()}`);
  }

  close(code: number, reason: string): void {
    this.done.push(`close ${code} ${reason}`);
  }

  terminate(): void {
    this.done.push("terminate");
    this.emit("close");
  }

  pause(): void {
    this.isPaused = true;
    this.done.push("pause");
  }

  resume(): void {
    this.done.push("resume");
  }
}

function open(): { readonly fake: FakeSocket; readonly socket: ClientSocket } {
  const fake = new FakeSocket();
  return { fake, socket: new ClientSocket(fake, 1024) };
}

describe("a socket", () => {
  test("answers, but not a client that does not read", () => {
    const { fake, socket } = open();
    socket.answer("one");
    fake.emit("ping", Buffer.from("two"));
    fake.bufferedAmount = 2 * 1024 * 1024;
    socket.answer("three");
    fake.emit("ping", Buffer.from("four"));
    expect(fake.done).toEqual(["send one", "pong two"]);
  });

  test("is ended after two heartbeats without a sign of life", () => {
    const { fake, socket } = open();
    socket.checkAlive();
    socket.checkAlive();
    socket.checkAlive();
    expect(fake.done).toEqual(["ping", "ping", "terminate"]);
    expect(socket.signal.aborted).toBe(true);
  });

  test.each([
    ["a pong", (fake: FakeSocket) => fake.emit("pong", Buffer.alloc(0))],
    ["a ping", (fake: FakeSocket) => fake.emit("ping", Buffer.alloc(0))],
    ["a message", (fake: FakeSocket) => fake.emit("message", Buffer.alloc(0), true)],
  ])("lives on with %s between heartbeats", (_what, live) => {
    const { fake, socket } = open();
    socket.onMessage(() => undefined);
    for (let beat = 0; beat < 5; beat++) {
      socket.checkAlive();
      live(fake);
    }
    expect(fake.done).not.toContain("terminate");
  });

  test("is closed by too many pings, and takes no messages then", () => {
    const { fake, socket } = open();
    const messages: Buffer[] = [];
    socket.onMessage((bytes) => messages.push(bytes));
    for (let count = 0; count < 51; count++) fake.emit("ping", Buffer.alloc(0));
    expect(fake.done.at(-1)).toBe("close 1008 too many pings");
    fake.readyState = 2;
    fake.emit("message", Buffer.from("x"), true);
    expect(messages).toEqual([]);
  });

  test("is told once that it sends too many pings, however many more come", () => {
    const { fake } = open();
    for (let count = 0; count < 51; count++) fake.emit("ping", Buffer.alloc(0));
    const { length } = fake.done;
    fake.readyState = 2;
    for (let count = 0; count < 1000; count++) fake.emit("ping", Buffer.alloc(0));
    expect(fake.done).toHaveLength(length);
  });

  test("that is not read from is not taken for dead", () => {
    const { fake, socket } = open();
    socket.pause();
    for (let beat = 0; beat < 10; beat++) socket.checkAlive();
    expect(fake.done).not.toContain("terminate");
  });

  test("is not read while too much of it waits, and again when less does", () => {
    const { fake, socket } = open();
    const holds = [socket.hold(200 * 1024)];
    expect(fake.done).toEqual([]);
    holds.push(socket.hold(200 * 1024));
    expect(fake.done).toEqual(["pause"]);
    for (const held of holds) held[Symbol.dispose]();
    expect(fake.done).toEqual(["pause", "resume"]);
  });

  test("gives reasons that fit into a close frame", () => {
    const { fake, socket } = open();
    socket.close(4000, `ä${"x".repeat(200)}`);
    expect(fake.done).toEqual([`close 4000 ?${"x".repeat(122)}`]);
  });

  test("that is gone says so to who asks later", () => {
    const { fake, socket } = open();
    fake.terminate();
    let calls = 0;
    socket.onClose(() => calls++);
    expect(calls).toBe(1);
  });
});
