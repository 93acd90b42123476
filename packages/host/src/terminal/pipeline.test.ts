import { expect, test } from "vitest";
import type { Chunk, Pty, PtyExit } from "../pty/pty.ts";
import { openFaultyRecording } from "../recording/testing/faulty-recording.ts";
import { OutputParser } from "../shell/output-parser.ts";
import { Appender } from "./appender.ts";
import { Backlog } from "./backlog.ts";
import { Pipeline } from "./pipeline.ts";

type Written = readonly [text: string, stream?: "stderr"];

/** A Pty that wrote this and ended, and remembers what was acknowledged. */
function scriptedPty(written: readonly Written[]) {
  const acknowledged: number[] = [];
  let offset = 0;
  let reads = 0;
  const outputBytes = written.reduce((sum, [text]) => sum + Buffer.byteLength(text), 0);
  const pty: Pick<Pty, "read" | "acknowledge" | "exited"> = {
    async read(): Promise<Chunk | undefined> {
      const next = written[reads++];
      if (!next) return undefined;
      const [text, stream] = next;
      const bytes = new Uint8Array(Buffer.from(text));
      const chunk = { offset, bytes, ...(stream ? { stream } : {}) };
      offset += bytes.byteLength;
      return chunk;
    },
    acknowledge: (upTo) => void acknowledged.push(upTo),
    exited: Promise.resolve<PtyExit>({ exitCode: 0, outputBytes, drained: true }),
  };
  return { pty: pty as Pty, acknowledged };
}

/** Runs a pipeline over what a Pty wrote; gives what was acknowledged, and what could not be recorded. */
async function run(written: readonly Written[], isBlocked = false) {
  await using faulty = await openFaultyRecording();
  const { recording, faults } = faulty;
  Object.assign(faults, { beforeCommit: isBlocked, open: isBlocked });
  const losses: unknown[] = [];
  const { pty, acknowledged } = scriptedPty(written);
  const handleRecorded = (): void => undefined;
  const pipeline = new Pipeline({
    pty,
    parser: new OutputParser(),
    appender: new Appender({ recording, backlog: new Backlog(), handleRecorded }),
    handlePiece: () => undefined,
    isShared: () => true,
    handleLoss: (error) => void losses.push(error),
  });
  await pipeline.run();
  return { acknowledged, losses };
}

test("what is committed is acknowledged, up to the last byte of it", async () => {
  const { acknowledged, losses } = await run([["one"], ["two"], ["three"]]);
  expect(acknowledged).toEqual([3, 6, 11]);
  expect(losses).toEqual([]);
});

test("what is held back is not acknowledged with what was before it", async () => {
  const { acknowledged } = await run([["shown\u001b]2;ti"], ["tle\u0007"]]);
  expect(acknowledged[0]).toBe(5);
  expect(acknowledged.at(-1)).toBe(15);
});

test("where standard error comes apart, nothing is acknowledged that either of the two holds back", async () => {
  const { acknowledged } = await run([["out\u001b]2;t"], ["error", "stderr"], ["itle\u0007"]]);
  expect(acknowledged.filter((offset) => offset > 0 && offset < 18)).toEqual([]);
  expect(acknowledged.at(-1)).toBe(18);
});

test("what could not be recorded is not acknowledged", async () => {
  const { acknowledged, losses } = await run([["lost"]], true);
  expect(acknowledged).toEqual([]);
  expect(losses).toMatchObject([{ code: "recording_blocked" }]);
});
