import { afterAll, describe, expect, test } from "vitest";
import { auditRecord, strangerRecord } from "../testing/audit-record.ts";
import { AuditRecords } from "./audit-records.ts";
import { createMemoryWorkers } from "./recording-workers.ts";
import type { ReaderMethods } from "./recording-reader.ts";
import { RecorderClient } from "./recorder-client.ts";
import { Recordings } from "./recordings.ts";
import { kindsOf, TestDirectory } from "./testing/recordings.ts";
import { RestartingWorker } from "../base/port-rpc.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

describe.each(kindsOf(directory))("the audit of recordings %s", (_name, options) => {
  test("is there once an append resolves, oldest first", async () => {
    await using recordings = await Recordings.open(options());
    expect(await recordings.listAudit()).toEqual({ records: [], truncated: false });
    await recordings.appendAudit(auditRecord(1));
    expect(await recordings.listAudit()).toEqual({
      records: [{ sequence: 1, ...auditRecord(1) }],
      truncated: false,
    });
    await Promise.all([2, 3, 4].map((number) => recordings.appendAudit(auditRecord(number))));
    const { records } = await recordings.listAudit();
    expect(records.map(({ sequence, facts }) => [sequence, facts?.["number"]])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
  });

  test("comes page by page, and says where the next page begins", async () => {
    await using recordings = await Recordings.open(options());
    await Promise.all([1, 2, 3, 4, 5].map((n) => recordings.appendAudit(auditRecord(n))));
    const first = await recordings.listAudit({ limit: 3 });
    expect(first).toMatchObject({ truncated: true, nextAfter: 3 });
    expect(first.records).toHaveLength(3);
    const second = await recordings.listAudit({ after: 3, limit: 3 });
    expect(second.records.map(({ sequence }) => sequence)).toEqual([4, 5]);
    expect(second).not.toHaveProperty("nextAfter");
    expect(await recordings.listAudit({ after: 2, limit: 3 })).toMatchObject({ truncated: false });
  });

  test("refuses what is no record", async () => {
    await using recordings = await Recordings.open(options());
    const wrong = auditRecord(1, { action: "two words" });
    await expect(recordings.appendAudit(wrong)).rejects.toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "action" }),
    );
    expect((await recordings.listAudit()).records).toEqual([]);
  });

  test("takes ten thousand records in a moment", { timeout: 20_000 }, async () => {
    await using recordings = await Recordings.open(options());
    const startedAt = performance.now();
    const numbers = Array.from({ length: 10_000 }, (_, n) => n + 1);
    await Promise.all(numbers.map((number) => recordings.appendAudit(auditRecord(number))));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const { records } = await recordings.listAudit({ after: 9990 });
    expect(records.map(({ facts }) => facts?.["number"])).toEqual(numbers.slice(9990));
  });
});

test("the audit is there when the store is opened again, and goes on", async () => {
  const options = { directory: directory.next() };
  {
    await using recordings = await Recordings.open(options);
    await recordings.appendAudit(auditRecord(1));
  }
  await using again = await Recordings.open(options);
  await again.appendAudit(auditRecord(2));
  const { records } = await again.listAudit();
  expect(records.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

test("only the newest are kept, and strangers push out strangers only", async () => {
  const workers = createMemoryWorkers();
  await using recorder = await RecorderClient.open(() => workers.recorder(), {
    handleState: () => undefined,
    handleGap: () => undefined,
  });
  await using reader = new RestartingWorker<ReaderMethods>(() => workers.reader());
  const audit = new AuditRecords({ recorder, reader, limits: { callers: 300, strangers: 20 } });
  for (let n = 1; n <= 10; n++) await audit.append(auditRecord(n));
  await Promise.all(Array.from({ length: 500 }, (_, n) => audit.append(strangerRecord(n))));
  const kept = async () => {
    // Any further record has it looked again.
    await audit.append(strangerRecord(1));
    const { records } = await audit.list({ limit: 1000 });
    return Map.groupBy(records, ({ caller }) => (caller === undefined ? "strangers" : "callers"));
  };
  const strangers = async () => (await kept()).get("strangers")?.length ?? 0;
  await expect.poll(strangers).toBeLessThan(25);
  expect(await strangers()).toBeGreaterThanOrEqual(20);
  expect((await kept()).get("callers")).toHaveLength(10);
  await Promise.all(Array.from({ length: 400 }, (_, n) => audit.append(auditRecord(n))));
  const callers = async () => (await kept()).get("callers") ?? [];
  await expect.poll(callers).toHaveLength(300);
  expect((await callers()).at(-1)?.facts).toEqual({ number: 399 });
});
