import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { MemoryStore } from "../store/memory-store.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { WalCheckpointer } from "./wal-checkpointer.ts";
import { Recorder } from "./recorder.ts";
import { Recordings } from "./recordings.ts";
import { A, DiskError, output } from "./testing/recorder-rig.ts";
import type { RecorderReport, Write } from "./write.ts";

const directory = mkdtempSync(join(tmpdir(), "nacre-folding-"));
afterAll(() => rmSync(directory, { recursive: true }));

const MIB = 1024 * 1024;

/** Output of so many bytes. */
const sized = (bytes: number): Write => ({
  ...output("", { data: new Uint8Array(bytes) }),
  ticket: 1,
});

/** Folds that end when they are told to. */
class Folds {
  readonly #running: PromiseWithResolvers<string | undefined>[] = [];
  readonly problems: string[] = [];
  rests = 0;
  restError: Error | undefined;
  readonly folding = new WalCheckpointer({
    checkpoint: () => {
      const fold = Promise.withResolvers<string | undefined>();
      this.#running.push(fold);
      return fold.promise;
    },
    checkpointRest: () => {
      this.rests++;
      if (this.restError) throw this.restError;
    },
    handleProblem: (message) => this.problems.push(message),
  });

  get count(): number {
    return this.#running.length;
  }

  note(mebibytes: number): void {
    for (let n = 0; n < mebibytes; n++) this.folding.noteCommit([sized(MIB)]);
  }

  async end(problem?: string | Error): Promise<void> {
    const last = this.#running.at(-1);
    if (problem instanceof Error) last?.reject(problem);
    else last?.resolve(problem);
    await new Promise(setImmediate);
  }
}

test("the log is folded whenever enough was added to it, one fold at a time", async () => {
  const folds = new Folds();
  folds.note(3);
  expect(folds.count).toBe(0);
  folds.note(10);
  expect(folds.count).toBe(1);
  await folds.end();
  folds.note(1);
  expect(folds.count).toBe(2);
});

test("the writer folds what is left of the log when that is little, so that the log begins anew", async () => {
  const folds = new Folds();
  folds.note(4);
  await folds.end();
  expect(folds.rests).toBe(1);
  folds.note(4 + 2);
  await folds.end();
  expect(folds.rests).toBe(1);
});

test("what goes wrong with the files is told, that there is no room is not", async () => {
  const folds = new Folds();
  folds.note(4);
  await folds.end("broken");
  expect([folds.problems, folds.rests]).toEqual([["broken"], 0]);
  folds.restError = new DiskError(13);
  folds.note(4);
  await folds.end();
  expect([folds.problems.length, folds.rests]).toEqual([1, 1]);
  folds.restError = new DiskError(1034);
  folds.note(4);
  await folds.end();
  expect(folds.problems[1]).toContain("disk error 1034");
});

test("a fold that nobody was there for is asked for again", async () => {
  const folds = new Folds();
  folds.note(4);
  await folds.end(new Error("its thread ended"));
  expect([folds.problems, folds.rests]).toEqual([[], 0]);
  folds.note(4);
  expect(folds.count).toBe(2);
});

test("files that could not be folded are opened anew, and nothing is lost", async () => {
  const store = new MemoryStore();
  const reports: RecorderReport[] = [];
  const { promise: folded, resolve } = Promise.withResolvers<string | undefined>();
  let opened = 0;
  using recorder = new Recorder({
    open: () => {
      opened++;
      return store;
    },
    freeBytes: () => Number.POSITIVE_INFINITY,
    checkpoint: () => folded,
    report: (report) => reports.push(report),
  });
  recorder.push([{ kind: "terminal", ticket: 1, row: terminalRow("a") }, sized(5 * MIB)]);
  recorder.commit();
  resolve("broken");
  await expect.poll(() => opened).toBe(2);
  const states = reports.flatMap((report) => (report.kind === "state" ? [report.state] : []));
  expect(states).toMatchObject([{ state: "degraded", message: "broken" }, { state: "ok" }]);
  recorder.push([sized(1)]);
  recorder.commit();
  expect(store.readHead(A)?.sequence).toBe(2);
});

test("without anybody to fold it, the log stays bounded and everything is kept", () => {
  const path = join(directory, "alone", "recordings.db");
  const failed: unknown[] = [];
  using recorder = new Recorder({
    open: () => openSqliteStore(path),
    freeBytes: () => Number.POSITIVE_INFINITY,
    checkpoint: () => Promise.reject(new Error("its thread ended")),
    report: (report) => {
      if (report.kind === "settled") failed.push(...report.failed);
    },
  });
  recorder.push([{ kind: "terminal", ticket: 1, row: terminalRow("a") }]);
  for (let n = 0; n < 80; n++) {
    recorder.push([sized(MIB)]);
    recorder.commit();
  }
  expect(failed).toEqual([]);
  expect(statSync(`${path}-wal`).size).toBeLessThan(35 * MIB);
  expect(statSync(path).size).toBeGreaterThan(60 * MIB);
});

test("another thread folds the log long before the recorder would", async () => {
  const path = join(directory, "threads");
  await using recordings = await Recordings.open({ directory: path, floorBytes: 0 });
  const recording = await recordings.create(terminalRow("a"));
  const file = join(path, "recordings.db");
  expect(statSync(file).size).toBeLessThan(MIB);
  for (let n = 0; n < 6; n++) {
    await recording.append({ type: "output", offset: n * MIB, data: new Uint8Array(MIB) });
  }
  await expect.poll(() => statSync(file).size).toBeGreaterThan(3 * MIB);
});
