import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { auditRecord } from "../testing/audit-record.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { Recordings } from "./recordings.ts";
import { A, bytes, Output, TestDirectory, verdictOf } from "./testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

/** Counts a text in all files of a directory, from another process: reading them here would drop SQLite's locks. */
function countIn(path: string, text: string): number {
  const script = `cat "$1"/* | grep -aoiF -e "$2" | wc -l`;
  return Number(execFileSync("sh", ["-c", script, "sh", path, text], { encoding: "utf8" }));
}

test("nothing of a purged terminal can be read in any file, and all other recordings are whole", async () => {
  const path = directory.next();
  await using recordings = await Recordings.open({ directory: path });
  const secret = "xyzzy-canary-4711";
  const kept = await recordings.create(terminalRow("kept", { name: "kept" }));
  const recording = await recordings.create(
    terminalRow("a", { name: `name ${secret}`, args: [secret], command: "sh" }),
  );
  const [output, other] = [new Output(recording), new Output(kept)];
  // Rows of both lie beside each other, in the store as well as in the index.
  for (let n = 0; n < 400; n++) {
    void output.write(`line ${n}: ${secret} ${"x".repeat(n % 300)}\r\n`);
    void other.write(`line ${n} of the other ${"y".repeat(n % 200)}\r\n`);
  }
  await recording.append({ type: "title", title: secret });
  await recording.appendInput({ data: bytes(`${secret}\r`), isSecret: false });
  await recordings.appendAudit(auditRecord(1, { terminalId: A, facts: { bytes: secret.length } }));
  const size = { cols: 80, rows: 24 };
  await recordings.saveSnapshot(A, { sequence: 402, size, bytes: bytes(`screen ${secret}`) });
  await recordings.whenIndexed();
  expect((await recordings.search({ text: secret, limit: 1 })).hits).toHaveLength(1);
  expect(countIn(path, secret)).toBeGreaterThan(400);

  expect(await recordings.purge(A)).toBe(402);

  expect(countIn(path, secret)).toBe(0);
  // The letters index keeps three letters at a time.
  expect(countIn(path, "xyz")).toBe(0);
  // Who did what with it is still known.
  expect((await recordings.listAudit()).records).toMatchObject([{ terminalId: A }]);
  expect((await recordings.search({ text: secret })).hits).toEqual([]);
  expect(await recordings.findSnapshot(A, 402)).toBeUndefined();
  expect((await recordings.search({ text: "line 399 other" })).hits).toHaveLength(1);
  await other.write("more");
  expect(await verdictOf(recordings, terminalId("kept"))).toMatchObject({ ok: true, entries: 401 });
});

test("an input that is a secret is in no file at any time", async () => {
  const path = directory.next();
  await using recordings = await Recordings.open({ directory: path });
  const recording = await recordings.create(terminalRow("a"));
  for (const text of ["canary-hunter2\r", "canary-hunter3\r"]) {
    await recording.appendInput({ data: bytes(text), isSecret: true });
  }
  await recordings.whenIndexed();
  expect(countIn(path, "canary")).toBe(0);
  const { entries } = await recordings.findEntries({ terminalId: A });
  expect(entries).toMatchObject([
    { type: "input", redacted: true, lengthBucket: "9-32" },
    { type: "input", redacted: true, lengthBucket: "9-32" },
  ]);
});
