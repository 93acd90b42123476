import { describe, expect, test } from "vitest";
import { ReplicaScheduler } from "./replica-scheduler.ts";
import { Emulator } from "./emulator.ts";
import { renderScreen } from "./render-screen.ts";
import { type ScreenReport, WorkerHeartbeat } from "./screen-protocol.ts";
import { CELLS_PER_BYTE, MAX_CREDIT_CELLS, MAX_MARKED_CELLS } from "./work-budget.ts";

const LARGEST = { cols: 1000, rows: 1000 };
const SCROLLBACK = 200;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const degraded = (emulator: Emulator): true | undefined =>
  renderScreen(emulator, { sequence: 1, format: "text" }).degraded;

describe("R-6: on the largest screen", () => {
  test.each([
    ["insert line", "\u001b[1000L"],
    ["delete line", "\u001b[1000M"],
    ["scroll", "\u001b[1000S"],
    ["scroll down", "\u001b[1000T"],
    ["insert column", "\u001b[9'}"],
    ["DECALN", "\u001b#8"],
    ["a reset", "\u001bc"],
    ["the alternate screen", "\u001b[?1049h\u001b[?1049l"],
    ["clearing", "\u001b[2J"],
  ])("10 kB of %s cost no more cells than 10 kB pay for", (_name, sequence) => {
    using emulator = new Emulator({ size: LARGEST, scrollback: 0 });
    const bytes = bytesOf(sequence.repeat(10_000 / sequence.length));
    emulator.writeAll(bytes);
    const { spentCells } = emulator.budget;
    expect(spentCells).toBeLessThanOrEqual(MAX_CREDIT_CELLS + bytes.length * CELLS_PER_BYTE);
    expect(spentCells).toBeGreaterThan(MAX_CREDIT_CELLS / 2);
    expect(degraded(emulator)).toBe(true);
    // What comes later is drawn again.
    emulator.writeAll(bytesOf(`${"\u001b[m".repeat(1_000)}\u001b[Hafter`));
    expect(renderScreen(emulator, { sequence: 1, format: "text" }).text).toMatch(/^after/);
  });

  test("repeated letters are paid for", () => {
    using emulator = new Emulator({ size: LARGEST, scrollback: 0 });
    const bytes = bytesOf(`x${"\u001b[9999b".repeat(500)}`);
    emulator.writeAll(bytes);
    const { spentCells } = emulator.budget;
    expect(spentCells).toBeLessThanOrEqual(MAX_CREDIT_CELLS + bytes.length * CELLS_PER_BYTE);
    expect(degraded(emulator)).toBe(true);
  });

  test("marks on letters are kept on 65,536 cells", () => {
    using emulator = new Emulator({ size: { cols: 1000, rows: 200 }, scrollback: SCROLLBACK });
    emulator.writeAll(bytesOf("a\u0301".repeat(100_000)));
    const { lines } = emulator.core._bufferService.buffers.normal;
    let marked = 0;
    for (let row = 0; row < lines.length; row++) {
      marked += Object.keys(lines.get(row)?._combined ?? {}).length;
    }
    expect(marked).toBe(MAX_MARKED_CELLS);
    expect(degraded(emulator)).toBe(true);
    // Where lines are written over there is room again.
    emulator.writeAll(bytesOf(`\u001b[2J\u001b[H${"b".repeat(70_000)}${"c\u0301".repeat(20_000)}`));
    const { text } = renderScreen(emulator, { sequence: 1, format: "text" });
    expect(text).toContain("c\u0301".repeat(10));
  });
});

test("R-6: ordinary full-screen programs pay for everything", () => {
  using emulator = new Emulator({ size: { cols: 200, rows: 60 }, scrollback: SCROLLBACK });
  const frame = `\u001b[?1049h\u001b[H\u001b[2J\u001b[5L${"text\r\n".repeat(20)}\u001b[?1049l`;
  emulator.writeAll(bytesOf(frame.repeat(2_000)));
  expect(degraded(emulator)).toBeUndefined();
});

test("R-6: what waits for a drawing that is closed is not drawn", async () => {
  const pulse = new WorkerHeartbeat();
  const reports: ScreenReport[] = [];
  const table = new ReplicaScheduler({
    heartbeat: pulse,
    report: (report) => reports.push(report),
  });
  const id = 1;
  const begin = { size: LARGEST, scrollback: 0, saved: undefined, isLive: true, skips: [] };
  table.enqueue({ kind: "open", id, ...begin });
  const bytes = bytesOf("\u001b[1000L".repeat(40_000));
  for (let sequence = 1; sequence <= 10; sequence++) {
    table.enqueue({ kind: "change", id, change: { kind: "output", sequence, bytes } });
  }
  // Its first turn has come, and the first change is not done.
  await new Promise((resolve) => setImmediate(resolve));
  expect(reports).toEqual([]);
  table.enqueue({ kind: "close", id });
  expect(pulse.done).toBe(12);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reports).toEqual([]);
  expect(pulse.currentTask).toBeUndefined();
});
