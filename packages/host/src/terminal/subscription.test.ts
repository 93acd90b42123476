import { expect, test } from "vitest";
import type { Screen } from "@nacre/contracts";
import { terminalId } from "../testing/terminal-row.ts";
import type { EntryWithViews } from "./appender.ts";
import {
  type FeedMessage,
  type FeedOptions,
  type FeedSource,
  MAX_QUEUED_BYTES,
  TerminalSubscription,
} from "./subscription.ts";

/** A terminal that is nothing but its entries: number n writes n. */
class Numbers implements FeedSource {
  readonly all: EntryWithViews[] = [];
  readonly subscriptions = new Set<TerminalSubscription>();
  isOver = false;
  snapshots = 0;
  /** How far behind the screen is. */
  screenLag = 0;
  firstKept = 1;

  get lastSequence(): number {
    return this.all.length;
  }

  append(byteCount = 8): void {
    const view = new Uint8Array(Buffer.from(String(this.all.length + 1).padEnd(byteCount)));
    this.#add({ entry: { ...this.#place, type: "output", offset: 0, data: view }, view });
  }

  /** Appends something that changes nothing on a screen. */
  mark(): void {
    this.#add({ entry: { ...this.#place, type: "marker", label: "here" } });
  }

  get #place() {
    const sequence = this.all.length + 1;
    return {
      id: `terminal_recording_entry:a-${sequence}` as EntryWithViews["entry"]["id"],
      terminalId: terminalId("a"),
      sequence,
      occurredAt: "2026-01-31T09:30:00.000Z",
      elapsedMs: 0,
    };
  }

  #add(recorded: EntryWithViews): void {
    this.all.push(recorded);
    for (const subscription of this.subscriptions) subscription.offer(recorded);
  }

  end(): void {
    this.isOver = true;
    for (const subscription of this.subscriptions) subscription.wake();
  }

  async snapshot(): Promise<Screen> {
    this.snapshots++;
    const sequence = Math.max(1, this.lastSequence - this.screenLag);
    const cursor = { row: 0, column: 0, visible: true };
    const size = { cols: 80, rows: 24 };
    const rest = { alternate: false, title: "", hash: "0".repeat(16), text: "" };
    return Promise.resolve({ sequence, size, format: "ansi", cursor, ...rest });
  }

  async readAfter(sequence: number, maxBytes: number): Promise<readonly EntryWithViews[]> {
    let bytes = 0;
    const from = Math.max(sequence, this.firstKept - 1);
    const page = this.all.slice(from).filter(({ view }) => {
      const fits = bytes < maxBytes;
      bytes += view?.byteLength ?? 0;
      return fits;
    });
    return Promise.resolve(page);
  }

  subscribe(options: FeedOptions = {}): TerminalSubscription {
    const subscription = new TerminalSubscription(this, options, {
      handleEnd: (ended) => void this.subscriptions.delete(ended),
    });
    this.subscriptions.add(subscription);
    return subscription;
  }
}

async function take(subscription: TerminalSubscription, count: number): Promise<FeedMessage[]> {
  const messages: FeedMessage[] = [];
  while (messages.length < count) {
    const { value } = await subscription.next();
    if (!value) break;
    messages.push(value);
  }
  return messages;
}

const placesOf = (messages: readonly FeedMessage[]): (number | string)[] =>
  messages.map((message) =>
    message.kind === "snapshot" ? `at ${message.screen.sequence}` : message.entry.sequence,
  );

test("a feed begins with a snapshot and goes on with every entry after it", async () => {
  const numbers = new Numbers();
  for (let count = 0; count < 3; count++) numbers.append();
  const subscription = numbers.subscribe();
  const first = await take(subscription, 1);
  numbers.append();
  numbers.append();
  expect(placesOf([...first, ...(await take(subscription, 2))])).toEqual(["at 3", 4, 5]);
});

test("entries that the snapshot does not have yet come from the recording, once", async () => {
  const numbers = new Numbers();
  for (let count = 0; count < 10; count++) numbers.append();
  numbers.screenLag = 4;
  const subscription = numbers.subscribe();
  numbers.append();
  expect(placesOf(await take(subscription, 5))).toEqual(["at 7", 8, 9, 10, 11]);
});

test("a feed can go on after a sequence without a snapshot", async () => {
  const numbers = new Numbers();
  for (let count = 0; count < 5; count++) numbers.append();
  const subscription = numbers.subscribe({ after: 2 });
  expect(placesOf(await take(subscription, 3))).toEqual([3, 4, 5]);
  expect(numbers.snapshots).toBe(0);
});

test("a viewer that does not fetch is skipped forward and holds no memory", async () => {
  const numbers = new Numbers();
  const subscription = numbers.subscribe({ after: 0 });
  for (let count = 0; count < 20; count++) numbers.append(MAX_QUEUED_BYTES / 4);
  const messages = await take(subscription, 1);
  numbers.append();
  expect(placesOf([...messages, ...(await take(subscription, 1))])).toEqual(["at 20", 21]);
});

test("a viewer that wants everything gets it from the recording, however slow it is", async () => {
  const numbers = new Numbers();
  const subscription = numbers.subscribe({ after: 0, whenBehind: "replay" });
  for (let count = 0; count < 50; count++) numbers.append(MAX_QUEUED_BYTES / 4);
  const places = placesOf(await take(subscription, 50));
  expect(places).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(numbers.snapshots).toBe(0);
});

test("a slow viewer does not disturb another", async () => {
  const numbers = new Numbers();
  const slow = numbers.subscribe({ after: 0 });
  const quick = numbers.subscribe({ after: 0 });
  const seen: (number | string)[] = [];
  for (let count = 0; count < 20; count++) {
    numbers.append(MAX_QUEUED_BYTES / 4);
    seen.push(...placesOf(await take(quick, 1)));
  }
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(placesOf(await take(slow, 1))).toEqual(["at 20"]);
});

test("what was removed from the recording is skipped with a snapshot", async () => {
  const numbers = new Numbers();
  for (let count = 0; count < 5; count++) numbers.append();
  numbers.firstKept = 6;
  const subscription = numbers.subscribe({ after: 1 });
  expect(placesOf(await take(subscription, 1))).toEqual(["at 5"]);
});

test("a snapshot is never older than what a viewer has: what came since did not change it", async () => {
  const numbers = new Numbers();
  for (let count = 0; count < 2; count++) numbers.append();
  for (let count = 0; count < 8; count++) numbers.mark();
  [numbers.firstKept, numbers.screenLag] = [8, 8];
  const subscription = numbers.subscribe({ after: 4 });
  expect(placesOf(await take(subscription, 4))).toEqual(["at 4", 8, 9, 10]);
});

test("a feed ends after the last entry of a terminal that is over", async () => {
  const numbers = new Numbers();
  const subscription = numbers.subscribe({ after: 0 });
  numbers.append();
  const all = take(subscription, 3);
  numbers.end();
  expect(placesOf(await all)).toEqual([1]);
  expect(numbers.subscriptions.size).toBe(0);
});

test("disposing ends a feed that waits", async () => {
  const numbers = new Numbers();
  const subscription = numbers.subscribe({ after: 0 });
  const next = subscription.next();
  subscription[Symbol.dispose]();
  expect(await next).toEqual({ done: true, value: undefined });
});
