import type { OperationInput } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller } from "../testing/scripted-caller.ts";
import { readTool } from "./read.ts";

const terminal_id = "terminal:a1";

const nobodyAsks = () => ({ outcome: "timeout", sequence: 1 });

test("with a cursor one page is read, and the next begins where it ends", async () => {
  const caller = new ScriptedCaller({
    readOutput: () => ({
      data: "half a line",
      position: { after: 3, offset: 500 },
      ended: false,
    }),
    waitFor: nobodyAsks,
  });
  const given = { terminal_id, cursor: "2:40", max_output_bytes: 256, yield_time_ms: 100 };
  expect(await readTool.use(given, caller.use)).toEqual({
    terminal_id,
    duration_ms: expect.any(Number) as number,
    still_running: true,
    exit_code: null,
    output: "half a line",
    truncated: true,
    bytes: 11,
    omitted_bytes: 0,
    rest: expect.stringContaining("cursor 3:500") as string,
    cursor: "3:500",
    untrusted: true,
  });
  expect(caller.asked[0]).toEqual([
    "readOutput",
    { id: terminal_id, position: { after: 2, offset: 40 }, maxBytes: 256, waitMs: 100 },
  ]);
});

test("without one all pages are read, and shown as their beginning and end", async () => {
  const pages = ["first\n".repeat(100), "middle\n".repeat(100), "last\n".repeat(100)];
  const caller = new ScriptedCaller({
    readOutput: ({ position = { after: 0 } }: OperationInput<"readOutput">) => {
      const at = position.after;
      const isLast = at === pages.length - 1;
      const end = isLast ? { ended: true, exitCode: null, signal: "SIGTERM" } : { ended: false };
      return { data: pages[at] ?? "", position: { after: at + 1 }, ...end };
    },
  });
  const answer = await readTool.use({ terminal_id, max_output_bytes: 256 }, caller.use);
  expect(answer).toMatchObject({
    still_running: false,
    exit_code: null,
    signal: "SIGTERM",
    truncated: true,
    bytes: 1800,
    cursor: "3",
    output: expect.stringMatching(
      /^(first\n)+\[\d+ of 1800 bytes left out here\]\n(last\n)+$/,
    ) as string,
    rest: expect.stringContaining("cursor 0") as string,
  });
});

test("bytes that are no text are shown as far as they are", async () => {
  const caller = new ScriptedCaller({
    readOutput: () => ({
      data: Buffer.from([0x6f, 0x6b, 0xff, 0x0a]).toString("base64"),
      encoding: "base64",
      position: { after: 1 },
      ended: true,
      exitCode: 0,
    }),
  });
  expect(await readTool.use({ terminal_id }, caller.use)).toMatchObject({
    output: "ok\uFFFD\n",
    exit_code: 0,
  });
});
