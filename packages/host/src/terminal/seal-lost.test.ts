import { expect, test } from "vitest";
import { Recordings } from "../recording/recordings.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { sealLost } from "./adopt-terminal.ts";

test("a terminal whose end is recorded is not lost, whatever stands behind it", async () => {
  await using recordings = await Recordings.open();
  const [ended, running] = [terminalRow("ended"), terminalRow("running")];
  for (const row of [ended, running]) {
    const recording = await recordings.create(row);
    await recording.append({ type: "header", cols: 80, rows: 24 });
    if (row === ended) await recording.append({ type: "exit", exitCode: 3 });
    await recording.append({ type: "clear" });
  }
  const problems: unknown[] = [];
  const report = (error: unknown): void => void problems.push(error);
  const options = { lostReason: "hostEnded", except: new Set<never>(), report } as const;
  expect(await sealLost(recordings, options)).toBe(1);
  expect(problems).toEqual([]);
  expect(await recordings.listUnsealed()).toEqual([]);
  const read = { terminalId: ended.id, types: ["exit"], limit: 9, maxBytes: 1000 } as const;
  expect(await recordings.readEntries(read)).toMatchObject([{ exitCode: 3 }]);
});
