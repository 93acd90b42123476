import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { CHUNK_BYTES } from "../pty/chunk-bytes.ts";
import { takeSpare } from "../pty/spare-pool.ts";
import { terminalId } from "../testing/terminal-row.ts";
import type { FeedSource, TerminalSubscription } from "./subscription.ts";
import { Viewers } from "./viewers.ts";

/** Viewers of a terminal that writes chunks; tells which of them were taken to be filled again. */
class Chunks {
  readonly #source = {
    lastSequence: 0,
    isOver: false,
    snapshot: () => Promise.reject(new NacreError("unavailable", "there is no screen")),
    readAfter: () => Promise.resolve([]),
  } satisfies FeedSource;
  readonly viewers = new Viewers(this.#source);
  readonly #all: Uint8Array<ArrayBuffer>[] = [];

  follow(): TerminalSubscription {
    return this.viewers.subscribe({ after: this.#source.lastSequence });
  }

  /** Writes a chunk that all are told of. */
  write(): void {
    const sequence = ++this.#source.lastSequence;
    const data = new Uint8Array(CHUNK_BYTES);
    this.#all.push(data);
    const id = `terminal_recording_entry:a-${sequence}` as never;
    const place = { id, terminalId: terminalId("a"), sequence, elapsedMs: 0, offset: 0 };
    const entry = {
      ...place,
      occurredAt: "2026-01-31T09:30:00.000Z",
      type: "output",
      data,
    } as const;
    this.viewers.offer({ entry, view: data });
    this.viewers.takeBack(sequence, data);
    // The pool must not be full for the next one.
    takeSpare();
  }

  /** The chunks that were taken. */
  get taken(): number[] {
    return this.#all.flatMap(({ buffer }, index) => (buffer.detached ? index + 1 : []));
  }
}

test("where nobody follows, a chunk is filled again at once", () => {
  const chunks = new Chunks();
  chunks.write();
  expect(chunks.taken).toEqual([1]);
});

test("a chunk is filled again when everybody has released it", async () => {
  const chunks = new Chunks();
  using first = chunks.follow();
  using second = chunks.follow();
  for (let count = 0; count < 3; count++) {
    chunks.write();
    await first.next();
    await second.next();
  }
  first.release(3);
  second.release(1);
  chunks.write();
  expect(chunks.taken).toEqual([1]);
  second.release(3);
  chunks.write();
  expect(chunks.taken).toEqual([1, 2, 3]);
});

test("whoever comes later has nothing of what was told before", async () => {
  const chunks = new Chunks();
  using first = chunks.follow();
  chunks.write();
  await first.next();
  using _later = chunks.follow();
  first.release(1);
  chunks.write();
  expect(chunks.taken).toEqual([1]);
});

test("what somebody took who left without a word is not touched", async () => {
  const chunks = new Chunks();
  const leaving = chunks.follow();
  chunks.write();
  chunks.write();
  await leaving.next();
  leaving[Symbol.dispose]();
  chunks.write();
  // Of what it did not take it has nothing.
  expect(chunks.taken).toEqual([2, 3]);
});

test("of those who say nothing no chunk is kept for long", () => {
  const chunks = new Chunks();
  const silent = chunks.follow();
  for (let count = 0; count < 40; count++) chunks.write();
  silent[Symbol.dispose]();
  chunks.write();
  expect(chunks.taken[0]).toBe(25);
});
