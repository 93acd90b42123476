import fc from "fast-check";
import { expect, test } from "vitest";
import { PipeOutput } from "./pipe-pty.ts";
import type { Chunk } from "./pty.ts";

const pieces = fc.array(
  fc.record({
    from: fc.constantFrom("stdout" as const, "stderr" as const),
    size: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 50 }) }, fc.constant(70_000)),
    read: fc.boolean(),
  }),
  { maxLength: 60 },
);

test("every byte is read once, in order, from the pipe it came from, in chunks that own their buffers", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (pushed) => {
      const output = new PipeOutput(() => undefined);
      const expected: string[] = [];
      const reading: Promise<Chunk | undefined>[] = [];
      let isReading = false;
      for (const [index, { from, size, read }] of pushed.entries()) {
        // A reader that waits is served while bytes arrive; one call at a time.
        if (read && !isReading) {
          isReading = true;
          reading.push(output.read());
        }
        output.push(from, new Uint8Array(size).fill(index));
        expected.push(`${from} ${index} `.repeat(size));
      }
      output.end();
      const chunks = await Promise.all(reading);
      for (let chunk = await output.read(); chunk; chunk = await output.read()) chunks.push(chunk);
      let offset = 0;
      const seen: string[] = [];
      for (const chunk of chunks.filter((one) => one !== undefined)) {
        expect(chunk.offset).toBe(offset);
        expect(chunk.bytes.byteOffset).toBe(0);
        expect(chunk.bytes.byteLength).toBeGreaterThan(0);
        offset += chunk.bytes.byteLength;
        for (const byte of chunk.bytes) seen.push(`${chunk.stream ?? "stdout"} ${byte} `);
      }
      expect(new Set(chunks.map((chunk) => chunk?.bytes.buffer)).size).toBe(chunks.length);
      expect(seen.join("")).toBe(expected.join(""));
      expect(output.endOffset).toBe(offset);
    }),
    { numRuns: 100 },
  );
});
