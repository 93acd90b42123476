import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { Chunk, Pty, PtyExit } from "../pty/pty.ts";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import { openFaultyRecording } from "../recording/testing/faulty-recording.ts";
import { OutputParser } from "../shell/output-parser.ts";
import { Appender, Backlog } from "./appender.ts";
import { EchoGuard } from "./echo-guard.ts";
import { OutputPipeline, type OutputPipelineDeps } from "./output-pipeline.ts";

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
  const pipeline = new OutputPipeline({
    pty,
    parser: new OutputParser(),
    appender: new Appender({ recording, backlog: new Backlog(), handleRecorded }),
    echoGuard: new EchoGuard(),
    handlePiece: () => undefined,
    recycle: () => undefined,
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

test("where standard error comes apart, all is acknowledged once nothing is held back for want of its end", async () => {
  const { acknowledged } = await run([["out\u001b]2;t"], ["error", "stderr"]]);
  expect(acknowledged.at(-1)).toBe(13);
});

test("what could not be recorded is not acknowledged", async () => {
  const { acknowledged, losses } = await run([["lost"]], true);
  expect(acknowledged).toEqual([]);
  expect(losses).toMatchObject([{ code: "recording_blocked" }]);
});

/** Runs a pipeline whose output is recorded, but for some texts; gives what it appended, and tells it of more. */
async function runOver(
  written: readonly Written[],
  { earlier, lost = [] }: Pick<OutputPipelineDeps, "earlier"> & { lost?: readonly string[] },
) {
  const facts: Fact[] = [];
  let tell: (entry: RecordedEntry) => void = () => undefined;
  const appender: Pick<Appender, "append" | "follow" | "room"> = {
    append: async ({ fact }) => {
      const text = fact.type === "output" ? Buffer.from(fact.data ?? []).toString() : "";
      if (lost.includes(text)) throw new NacreError("recording_blocked", "there is no room");
      facts.push(fact);
      return fact as RecordedEntry;
    },
    follow: (handleEntry) => (tell = handleEntry),
    room: () => Promise.resolve(),
  };
  const { pty, acknowledged } = scriptedPty(written);
  await new OutputPipeline({
    pty,
    parser: new OutputParser(),
    appender: appender as Appender,
    earlier,
    echoGuard: new EchoGuard(),
    handlePiece: () => undefined,
    recycle: () => undefined,
    handleLoss: () => undefined,
  }).run();
  return { acknowledged, facts, tell };
}

test("nothing behind lost output is acknowledged before a gap says that it is missing", async () => {
  const { acknowledged, tell } = await runOver([["one"], ["two"], ["three"]], { lost: ["two"] });
  expect(acknowledged.at(-1)).toBe(3);
  tell({ type: "gap", lostBytes: 3, reason: "diskFull" } as RecordedEntry);
  expect(acknowledged.at(-1)).toBe(11);
});

test("where two texts go on, each goes on behind what is recorded of it", async () => {
  const written: Written[] = [["out\u001b]2;t"], ["error", "stderr"], ["itle\u0007"]];
  const again = { stdout: 3, stderr: 5 };
  const { acknowledged, facts } = await runOver(written, { earlier: { outputBytes: 8, again } });
  expect(facts).toEqual([
    {
      type: "output",
      offset: 8,
      data: new Uint8Array(Buffer.from("\u001b]2;title\u0007")),
    },
  ]);
  expect(acknowledged).toEqual([18]);
});
