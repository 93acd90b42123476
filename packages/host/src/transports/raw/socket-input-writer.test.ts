import { NacreError } from "@nacre/contracts";
import { expect, test, vi } from "vitest";
import { SocketInputWriter } from "./socket-input-writer.ts";

/** A terminal whose program reads when it is told to. */
function makeTerminal() {
  const taken: string[] = [];
  const state = { reads: false };
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!state.reads) throw new NacreError("input_queue_full", "the queue is full");
    taken.push(Buffer.from(bytes).toString());
  };
  return { taken, state, write };
}

const socket = () => ({ pause: vi.fn<() => void>(), resume: vi.fn<() => void>() });

test("what a program does not take for now is offered again, and nothing overtakes it", async () => {
  const terminal = makeTerminal();
  using typing = new SocketInputWriter(socket());
  const typed = ["one", "two", "three"].map((text) => typing.write(terminal, Buffer.from(text)));
  const other = makeTerminal();
  other.state.reads = true;
  await typing.write(other, Buffer.from("at once"));
  expect([terminal.taken, other.taken]).toEqual([[], ["at once"]]);
  terminal.state.reads = true;
  await Promise.all(typed);
  expect(terminal.taken).toEqual(["one", "two", "three"]);
});

test("while much waits nothing more is read", async () => {
  const terminal = makeTerminal();
  const paused = socket();
  using typing = new SocketInputWriter(paused);
  const typed = typing.write(terminal, new Uint8Array(300_000));
  expect(paused.pause).toHaveBeenCalledTimes(1);
  terminal.state.reads = true;
  await typed;
  expect(paused.resume).toHaveBeenCalledTimes(1);
});

test("what is refused for another reason is told at once, and what follows is typed", async () => {
  const refusing = {
    write: vi.fn<(bytes: Uint8Array) => Promise<void>>(async () => {
      throw new NacreError("claim_held", "somebody else drives");
    }),
  };
  using typing = new SocketInputWriter(socket());
  await expect(typing.write(refusing, Buffer.from("one"))).rejects.toThrow("somebody else drives");
  await expect(typing.write(refusing, Buffer.from("two"))).rejects.toThrow("somebody else drives");
  expect(refusing.write).toHaveBeenCalledTimes(2);
});

test("a socket that is gone offers nothing any more", async () => {
  const terminal = makeTerminal();
  const typing = new SocketInputWriter(socket());
  const typed = typing.write(terminal, Buffer.from("one"));
  typing[Symbol.dispose]();
  await expect(typed).rejects.toThrow("the queue is full");
});
