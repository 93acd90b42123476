import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { RecorderLink, type WriteRequest } from "./recorder-link.ts";
import type { RecorderMessage, RecorderRequest } from "./recorder-service.ts";
import { Recordings } from "./recordings.ts";
import type { Part } from "./thread.ts";
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
  settle(): void {
    const done = this.writes().map(({ ticket }) => ({
      ticket,
      count: ticket,
      elapsedMs: 0,
      data: null,
    }));
    this.say({ kind: "settled", done, failed: [] });
  }
}

/** A link whose recorders do what is said when they are started. */
class Rig {
  readonly recorders: FakeRecorder[] = [];
  readonly states: RecorderState[] = [];
  readonly opening: Promise<RecorderLink>;

  constructor(...started: ((recorder: FakeRecorder) => void)[]) {
    const start = (): Part => {
      const recorder = new FakeRecorder();
      const behave = started[this.recorders.length];
      this.recorders.push(recorder);
      queueMicrotask(() => behave?.(recorder));
      return { port: recorder as never, terminate: () => Promise.resolve() };
    };
    this.opening = RecorderLink.open(start, {
      handleState: (state) => void this.states.push(state),
      handleGap: () => undefined,
    });
  }

  async recorder(index: number): Promise<FakeRecorder> {
    return vi.waitFor(() => {
      const recorder = this.recorders[index];
      if (!recorder) throw new Error("not started yet");
      return recorder;
    });
  }
}

const ready = (recorder: FakeRecorder): void => recorder.say({ kind: "ready" });
const refuse = (recorder: FakeRecorder): void =>
  recorder.say({
    kind: "refused",
    problem: { code: "unavailable", message: "in use", suggestion: "Wait." },
  });
const die = (recorder: FakeRecorder): boolean => recorder.emit("exit");

function write(data: Uint8Array<ArrayBuffer>): WriteRequest {
  const place = { terminalId: terminalId("a"), at: 1, elapsedMs: 0, offset: 0, facts: null };
  return { kind: "entry", type: "output", ...place, data, strict: false };
}

test("bytes that are appended twice or share a buffer are copied, and nobody else suffers", async () => {
  const rig = new Rig(ready);
  const link = await rig.opening;
  const same = new Uint8Array([1, 2, 3]);
  const shared = new Uint8Array([4, 5, 6, 7]);
  const all = [same, same, shared.subarray(0, 2), shared.subarray(2)].map((data) =>
    link.write(write(data)),
  );
  const recorder = await rig.recorder(0);
  await vi.waitFor(() => expect(recorder.writes()).toHaveLength(4));
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
  await vi.waitFor(async () => expect((await rig.recorder(0)).writes()).toHaveLength(1));
  die(await rig.recorder(0));
  await expect(lost).rejects.toMatchObject({ code: "unavailable" });
  const later = link.write(write(new Uint8Array([2])));
  const last = await rig.recorder(3);
  await vi.waitFor(() => expect(last.writes()).toHaveLength(2));
  // The first says that something is missing, without knowing how much.
  const types = last.writes().map((one) => (one.kind === "entry" ? one.type : one.kind));
  expect(types.toSorted()).toEqual(["gap", "output"]);
  last.settle();
  await later;
  expect(rig.states.map(({ state }) => state)).toEqual(["degraded", "ok"]);
  expect(rig.recorders).toHaveLength(4);
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

test("a row that could not be read back is refused before it is kept", async () => {
  await using recordings = await Recordings.open();
  const bell = terminalRow("a", { name: "a\u0007b" });
  await expect(recordings.create(bell)).rejects.toMatchObject({
    code: "invalid_argument",
    field: "name",
  });
  const long = terminalRow("x".repeat(128));
  await expect(recordings.create(long)).rejects.toMatchObject({ field: "id" });
  const recording = await recordings.create(terminalRow("a"));
  await expect(
    recording.appendAt({ type: "clear" }, { at: 1.5, elapsedMs: 0 }),
  ).rejects.toMatchObject({
    field: "at",
  });
});
