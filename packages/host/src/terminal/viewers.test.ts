import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { acquireBuffer, CHUNK_BYTES, MAX_POOLED_BUFFERS } from "../base/buffer-pool.ts";
import { terminalId } from "../testing/terminal-row.ts";
import { type FeedSource, type TerminalSubscription, Viewers } from "./subscription.ts";

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

  constructor() {
    // Tests of other files in this process may have filled the pool, which then takes nothing back.
    for (let count = 0; count < MAX_POOLED_BUFFERS; count++) acquireBuffer();
  }

  follow(releases = true): TerminalSubscription {
    return this.viewers.subscribe({ after: this.#source.lastSequence, releases });
  }

  /** Writes a chunk that all are told of. */
  write(): void {
    this.tell();
    this.takeBack();
  }

  tell(): void {
    const sequence = ++this.#source.lastSequence;
    const data = new Uint8Array(CHUNK_BYTES);
    this.#all.push(data);
    const id = `terminal_recording_entry:a-${sequence}` as never;
    const place = { id, terminalId: terminalId("a"), sequence, elapsedMs: 0, offset: 0 };
    const occurredAt = "2026-01-31T09:30:00.000Z";
    this.viewers.offer({ entry: { ...place, occurredAt, type: "output", data }, view: data });
  }

  /** Gives the last chunk back. */
  takeBack(): void {
    this.viewers.recycle(this.#source.lastSequence, this.#all.at(-1)!);
    // The pool must not be full for the next one.
    acquireBuffer();
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
  expect(chunks.taken).toEqual([1, 2, 3]);
});

test("whoever comes later has nothing of what was told before", async () => {
  const chunks = new Chunks();
  using first = chunks.follow();
  chunks.write();
  await first.next();
  using _later = chunks.follow();
  first.release(1);
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

test("no more chunks are kept than a slow viewer has on its way", () => {
  const chunks = new Chunks();
  using slow = chunks.follow();
  for (let count = 0; count < 40; count++) chunks.write();
  slow.release(40);
  expect(chunks.taken[0]).toBe(25);
});

test("what a reader may have that says nothing is not kept", () => {
  const chunks = new Chunks();
  const silent = chunks.follow(false);
  chunks.write();
  silent[Symbol.dispose]();
  chunks.write();
  expect(chunks.taken).toEqual([2]);
});

test("somebody who waited for what is still to come, and left, has nothing of it", () => {
  const chunks = new Chunks();
  const waiting = chunks.viewers.subscribe({ after: 10, releases: true });
  waiting[Symbol.dispose]();
  chunks.write();
  expect(chunks.taken).toEqual([1]);
});

test("what somebody took who left before it was taken back is not touched", async () => {
  const chunks = new Chunks();
  const leaving = chunks.follow();
  const told = leaving.next();
  chunks.tell();
  await told;
  leaving[Symbol.dispose]();
  chunks.takeBack();
  expect(chunks.taken).toEqual([]);
});
