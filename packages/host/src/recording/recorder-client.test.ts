import { EventEmitter } from "node:events";
import { describe, expect, test, vi } from "vitest";
import type { EntryRow } from "../store/store.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { MAX_TRIES } from "./in-flight-writes.ts";
import { RecorderClient, type WriteRequest } from "./recorder-client.ts";
import type { RecorderMessage, RecorderRequest } from "./recorder.ts";
import type { WorkerHandle } from "../base/worker.ts";
import type { RecorderState, Write } from "./write.ts";

/** The other side of a link, played by the test. */
class FakeRecorder extends EventEmitter {
  readonly requests: RecorderRequest[] = [];
  postMessage(request: RecorderRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.requests.push(structuredClone(request, { transfer: [...transfer] }));
  }
  say(message: RecorderMessage): void {
    this.emit("message", message);
  }
  writes(): Write[] {
    return this.requests.flatMap((request) => (request.kind === "writes" ? request.writes : []));
  }
  /** Says that the newest writes are committed: these many, or all. */
  settle(...counts: number[]): void {
    const writes = this.writes().slice(-counts.length);
    const done = writes.map((one, index) => ({
      ticket: one.ticket,
      count: counts[index] ?? one.ticket,
      elapsedMs: 0,
      data: one.kind === "entry" ? one.data : null,
    }));
    this.say({ kind: "settled", done, failed: [], gaps: [] });
  }
}

/** A link whose recorders do what is said when they are started. */
class Rig {
  readonly recorders: FakeRecorder[] = [];
  readonly states: RecorderState[] = [];
  /** What was told, in its order. */
  readonly said: string[] = [];
  readonly opening: Promise<RecorderClient>;

  constructor(...started: ((recorder: FakeRecorder) => void)[]) {
    const start = (): WorkerHandle => {
      const recorder = new FakeRecorder();
      const behave = started[this.recorders.length];
      this.recorders.push(recorder);
      queueMicrotask(() => behave?.(recorder));
      return { port: recorder as never, terminate: () => Promise.resolve() };
    };
    this.opening = RecorderClient.open(start, {
      handleState: (state) => void this.states.push(state),
      handleGap: ({ sequence }) => void this.said.push(`gap ${sequence}`),
    });
  }

  async recorder(index: number): Promise<FakeRecorder> {
    return vi.waitUntil(() => this.recorders[index], { timeout: 15_000 });
  }
}

const ready = (recorder: FakeRecorder): void => recorder.say({ kind: "ready" });
const refuse = (recorder: FakeRecorder): void =>
  recorder.say({
    kind: "refused",
    problem: { code: "unavailable", message: "in use", suggestion: "Wait." },
  });
/** Rows as the recorder makes them. */
const gapRow = (sequence: number): EntryRow => ({
  terminalId: terminalId("a"),
  sequence,
  type: "gap",
  at: 1,
  elapsedMs: 0,
  offset: null,
  facts: '{"lostBytes":1,"reason":"diskFull"}',
  data: null,
  hash: new Uint8Array(32),
});
const die = (recorder: FakeRecorder): boolean => recorder.emit("exit");

function write(data: Uint8Array<ArrayBuffer>, strict = false): WriteRequest {
  const place = { terminalId: terminalId("a"), at: 1, elapsedMs: 0, offset: 0, facts: null };
  return { kind: "entry", type: "output", ...place, data, strict };
}

/** What a recorder was given of entries: their bytes, and where they may be already. */
const givenTo = (recorder: FakeRecorder): unknown[][] =>
  recorder
    .writes()
    .flatMap((one) => (one.kind === "entry" ? [[one.data?.[0], one.committedBefore]] : []));

test("bytes that are appended twice or share a buffer are copied, and nobody else suffers", async () => {
  const rig = new Rig(ready);
  const link = await rig.opening;
  const same = new Uint8Array([1, 2, 3]);
  const shared = new Uint8Array([4, 5, 6, 7]);
  const all = [same, same, shared.subarray(0, 2), shared.subarray(2)].map((data) =>
    link.write(write(data)),
  );
  const recorder = await rig.recorder(0);
  await expect.poll(() => recorder.writes()).toHaveLength(4);
  expect(
    recorder.writes().map((one) => (one.kind === "entry" ? [...(one.data ?? [])] : [])),
  ).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [4, 5],
    [6, 7],
  ]);
  recorder.settle();
  await Promise.all(all);
  await expect(link.write(write(same))).rejects.toMatchObject({
    code: "invalid_argument",
    field: "data",
  });
});

test("what was typed is handed over with its echo, or a moment later by itself", async () => {
  const rig = new Rig(ready);
  const link = await rig.opening;
  const recorder = await rig.recorder(0);
  const typed = (value: number): WriteRequest =>
    ({ ...write(new Uint8Array([value])), type: "input" }) as WriteRequest;
  const all = [link.write(typed(1)), link.write(typed(2))];
  await Promise.resolve();
  expect(recorder.requests).toHaveLength(0);
  all.push(link.write(write(new Uint8Array([3]))));
  await Promise.resolve();
  expect(recorder.requests).toHaveLength(1);
  expect(givenTo(recorder).map(([first]) => first)).toEqual([1, 2, 3]);
  all.push(link.write(typed(4)));
  await expect.poll(() => recorder.requests).toHaveLength(2);
  recorder.settle(1, 2, 3, 4);
  expect(await Promise.all(all)).toHaveLength(4);
});

test("a recorder that never becomes ready is an error with what to do", async () => {
  await expect(new Rig(refuse).opening).rejects.toMatchObject({
    message: "in use",
    suggestion: "Wait.",
  });
  await expect(new Rig(die).opening).rejects.toThrow("ended");
  const failing = new Rig((recorder) => {
    recorder.emit("error", new Error("no memory"));
    die(recorder);
  });
  await expect(failing.opening).rejects.toThrow("no memory");
  expect(failing.recorders).toHaveLength(1);
});

test("what was handed over to a recorder that ended is refused, what was not is written by the next", async () => {
  const rig = new Rig(ready, refuse, die, ready);
  const link = await rig.opening;
  const lost = link.write(write(new Uint8Array([1])));
  const first = await rig.recorder(0);
  await expect.poll(() => first.writes()).toHaveLength(1);
  die(first);
  await expect(lost).rejects.toMatchObject({ code: "unavailable" });
  const later = link.write(write(new Uint8Array([2])));
  const last = await rig.recorder(3);
  await expect.poll(() => last.writes()).toHaveLength(2);
  // The first says that something is missing, without knowing how much.
  const types = last.writes().map((one) => (one.kind === "entry" ? one.type : one.kind));
  expect(types).toEqual(["gap", "output"]);
  last.settle();
  await later;
  expect(rig.states.map(({ state }) => state)).toEqual(["degraded", "degraded", "degraded", "ok"]);
  expect(rig.recorders).toHaveLength(4);
});

describe("a strict recording whose recorder ended", () => {
  const bytes = (value: number) => new Uint8Array([value]);

  test("goes on with the next one as if nothing had been, and knows what may be there already", async () => {
    const rig = new Rig(ready, ready);
    const link = await rig.opening;
    const created = link.write({ kind: "terminal", row: terminalRow("a") });
    const first = await rig.recorder(0);
    await expect.poll(() => first.writes()).toHaveLength(1);
    first.settle(0);
    await created;
    const one = link.write(write(bytes(1), true));
    await expect.poll(() => first.writes()).toHaveLength(2);
    first.settle(1);
    expect(await one).toMatchObject({ count: 1, data: bytes(1) });
    const two = link.write(write(bytes(2), true));
    const three = link.write(write(bytes(3), true));
    await expect.poll(() => first.writes()).toHaveLength(4);
    die(first);
    const four = link.write(write(bytes(4), true));
    const second = await rig.recorder(1);
    await expect.poll(() => second.writes()).toHaveLength(3);
    expect(givenTo(second)).toEqual([
      [2, 1],
      [3, 1],
      [4, undefined],
    ]);
    second.settle(2, 3, 4);
    expect(await Promise.all([two, three, four])).toMatchObject([
      { count: 2, data: bytes(2) },
      { count: 3, data: bytes(3) },
      { count: 4, data: bytes(4) },
    ]);
    expect(rig.said).toEqual([]);
  });

  test("is refused in the end what ends every recorder, and a gap stands before what is younger", async () => {
    const rig = new Rig(...Array.from({ length: MAX_TRIES + 1 }, () => ready));
    const link = await rig.opening;
    const created = link.write({ kind: "terminal", row: terminalRow("a") });
    await expect.poll(() => rig.recorders[0]?.writes()).toHaveLength(1);
    rig.recorders[0]?.settle(0);
    await created;
    const refused = link.write(write(bytes(1), true));
    for (let index = 0; index < MAX_TRIES; index++) {
      const recorder = await rig.recorder(index);
      const isLast = index === MAX_TRIES - 1;
      if (isLast) link.write(write(bytes(2), true)).catch(() => undefined);
      await expect.poll(() => givenTo(recorder)).toHaveLength(isLast ? 2 : 1);
      die(recorder);
    }
    await expect(refused).rejects.toMatchObject({ code: "unavailable" });
    const last = await rig.recorder(MAX_TRIES);
    await expect.poll(() => givenTo(last).flat()).toEqual([undefined, undefined, 2, 0]);
  });
});

test("gaps are told of before the entries that were committed with them", async () => {
  const rig = new Rig(ready);
  const link = await rig.opening;
  const done = link.write(write(new Uint8Array([1]))).then(() => rig.said.push("done"));
  const recorder = await rig.recorder(0);
  await expect.poll(() => recorder.writes()).toHaveLength(1);
  const [{ ticket } = { ticket: 0 }] = recorder.writes();
  const settled = [{ ticket, count: 2, elapsedMs: 0, data: null }];
  recorder.say({ kind: "settled", done: settled, failed: [], gaps: [gapRow(1)] });
  await done;
  expect(rig.said).toEqual(["gap 1", "done"]);
});

test("a thread that cannot even be started is tried again", async () => {
  const recorders: FakeRecorder[] = [];
  const states: RecorderState[] = [];
  let starts = 0;
  const start = (): WorkerHandle => {
    if (++starts === 2) throw new Error("no thread is left");
    const recorder = new FakeRecorder();
    recorders.push(recorder);
    queueMicrotask(() => ready(recorder));
    return { port: recorder as never, terminate: () => Promise.resolve() };
  };
  const handleState = (state: RecorderState): void => void states.push(state);
  await RecorderClient.open(start, { handleState, handleGap: () => {} });
  die(recorders[0] as FakeRecorder);
  await expect.poll(() => states.at(-1)).toEqual({ state: "ok" });
  expect(starts).toBe(3);
  expect(states).toContainEqual(
    expect.objectContaining({ message: "no recorder starts: no thread is left" }),
  );
});

test("closing settles everything, also while there is no recorder", async () => {
  const rig = new Rig(ready, refuse, refuse);
  const link = await rig.opening;
  die(await rig.recorder(0));
  const waiting = link.write(write(new Uint8Array([1])));
  const closed = link[Symbol.asyncDispose]();
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
  await closed;
  await expect(link.write(write(new Uint8Array([1])))).rejects.toMatchObject({
    code: "unavailable",
  });
});

test("closing settles what was handed over when the recorder ends instead of closing", async () => {
  const rig = new Rig(ready);
  const link = await rig.opening;
  const waiting = link.write(write(new Uint8Array([1])));
  const closed = link[Symbol.asyncDispose]();
  die(await rig.recorder(0));
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
  await closed;
});
