import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBytes, type OutputPosition } from "@nacre/contracts";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { terminalId } from "../testing/terminal-row.ts";
import { type OutputSource, readOutput } from "./read-output.ts";

const place = (sequence: number) => ({
  id: `terminal_recording_entry:a-${sequence}` as RecordedEntry["id"],
  terminalId: terminalId("a"),
  sequence,
  occurredAt: "2026-01-31T09:30:00.000Z",
  elapsedMs: 0,
});

/** A recording with these pieces of output, and perhaps an end. */
class Written implements OutputSource {
  readonly entries: RecordedEntry[] = [];
  firstSequence = 1;

  constructor(...pieces: readonly string[]) {
    let offset = 0;
    for (const piece of pieces) {
      const data = new Uint8Array(Buffer.from(piece));
      this.entries.push({ ...place(this.entries.length + 1), type: "output", offset, data });
      offset += data.byteLength;
    }
  }

  end(exitCode: number): this {
    this.entries.push({ ...place(this.entries.length + 1), type: "exit", exitCode });
    return this;
  }

  readEntries(after: number, maxBytes: number): Promise<readonly RecordedEntry[]> {
    let bytes = 0;
    const page = this.entries.slice(Math.max(after, this.firstSequence - 1)).filter((entry) => {
      const fits = bytes < maxBytes;
      bytes += entry.type === "output" ? (entry.data?.byteLength ?? 0) : 0;
      return fits;
    });
    return Promise.resolve(page);
  }

  readExtent(): Promise<{ readonly firstSequence: number }> {
    return Promise.resolve({ firstSequence: this.firstSequence });
  }

  readExit(): Promise<Extract<RecordedEntry, { type: "exit" }> | undefined> {
    const last = this.entries.at(-1);
    return Promise.resolve(last?.type === "exit" ? last : undefined);
  }
}

test("pages of any size make up the whole output, whatever its pieces are", async () => {
  const text = fc.stringMatching(/^[a-z\u{1f600}\u6f22\u00e9]{0,40}$/u);
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.integer({ min: 1, max: 50 }), async (pieces, maxBytes) => {
      const source = new Written(...pieces).end(0);
      const read: Uint8Array[] = [];
      for (let position: OutputPosition = { after: 0 }; ;) {
        const page = await readOutput(source, { position, maxBytes });
        read.push(decodeBytes(page));
        expect(await readOutput(source, { position, maxBytes })).toEqual(page);
        if (page.ended) break;
        expect(page.position).not.toEqual(position);
        position = page.position;
      }
      expect(Buffer.concat(read).toString()).toBe(pieces.join(""));
    }),
  );
});

test("S-F5: a page is filled from small and large pieces alike", async () => {
  const source = new Written("ab", "c".repeat(100), "de");
  source.readEntries = (after) => Promise.resolve(source.entries.slice(after, after + 1));
  const first = await readOutput(source, { maxBytes: 50 });
  expect(first).toMatchObject({ data: `ab${"c".repeat(48)}`, position: { after: 1, offset: 50 } });
  const next = await readOutput(source, { maxBytes: 100, position: first.position });
  expect(next).toMatchObject({ data: `${"c".repeat(52)}de`, position: { after: 3 }, ended: false });
});

test("a page ends before a letter or a sequence that it has no room for", async () => {
  const source = new Written("ab🙂\u001b[31mc");
  const first = await readOutput(source, { maxBytes: 8 });
  expect(first).toMatchObject({ data: "ab🙂", position: { after: 0, offset: 6 } });
  const rest = await readOutput(source, { maxBytes: 8, position: first.position });
  expect(rest).toMatchObject({ data: "\u001b[31mc", position: { after: 1 } });
});

test("a letter or a sequence that fits on no page is given whole, because reading must go on", async () => {
  const source = new Written("🙂\u001b[31mx");
  const first = await readOutput(source, { maxBytes: 1 });
  expect(first).toMatchObject({ data: "🙂", position: { after: 0, offset: 4 } });
  const next = await readOutput(source, { maxBytes: 1, position: first.position });
  expect(next.data.startsWith("\u001b[31m")).toBe(true);
});

test("markers are left out unless the raw output is asked for", async () => {
  const source = new Written("a\u001b]633;D;0\u0007b");
  expect((await readOutput(source, {})).data).toBe("ab");
  expect((await readOutput(source, { view: "raw" })).data).toBe("a\u001b]633;D;0\u0007b");
});

test("the end is told with the last byte, and again to who asks behind it", async () => {
  const source = new Written("a").end(3);
  const last = await readOutput(source, {});
  expect(last).toMatchObject({ data: "a", ended: true, exitCode: 3, position: { after: 2 } });
  const again = await readOutput(source, { position: last.position });
  expect(again).toMatchObject({ data: "", ended: true, exitCode: 3, position: { after: 2 } });
});

test("what is not kept any more is reported as missed, to those who did not read it", async () => {
  const source = new Written("a", "b", "c");
  source.firstSequence = 3;
  expect(await readOutput(source, {})).toMatchObject({ data: "c", missed: true });
  expect(await readOutput(source, { position: { after: 2 } })).not.toHaveProperty("missed");
});

test("a gap is reported as missed", async () => {
  const source = new Written("a");
  source.entries.push({ ...place(2), type: "gap", lostBytes: 5, reason: "diskFull" });
  expect(await readOutput(source, {})).toMatchObject({ data: "a", missed: true });
});
