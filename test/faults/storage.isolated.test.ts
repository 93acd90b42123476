import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { canMakeDisks, OWN_MOUNTS } from "../support/small-disk.ts";

/** A dozen programs are started one after the other, each of which may take seconds on a busy machine. */
const VERY_LONG_TEST = { timeout: 240_000 };

test.runIf(canMakeDisks())(
  "P-A3: a full disk is told on every wire, input still arrives, and removing a recording makes room",
  VERY_LONG_TEST,
  async () => {
    const [command = "", ...args] = OWN_MOUNTS;
    const victim = join(import.meta.dirname, "storage-victim.ts");
    const node = [process.execPath, "--conditions=nacre-source", victim];
    const { stdout } = await promisify(execFile)(command, [...args, ...node]);
    const seen = JSON.parse(stdout);
    const reason = expect.stringMatching(/the disk has .* left, 8\.0 MiB are kept in reserve/);
    const why = expect.stringContaining("kept in reserve");
    const isTold = { recording_blocked: why };
    expect(seen).toMatchObject({
      firstState: "low",
      full: { state: "full", reason, suggestion: expect.stringContaining("nacre rm") },
      blocked: { reason: "diskFull", message: why },
      ahpTold: { "dev.nacre": { recordingBlocked: { reason: "diskFull" } } },
      fileTold: { state: "full", reason },
      metrics: { ok: 0, full: 1 },
      told: ["full", "low"],
      waited: "recordingBlocked",
      page: "diskFull",
      ran: { outcome: "recordingBlocked", blocked: "diskFull" },
      asks: { outcome: "recordingBlocked", inputNeeded: null },
      mcp: {
        run: why,
        wait: { outcome: "recording_blocked", ...isTold },
        read: isTold,
        write: isTold,
        list: why,
        exec: expect.stringContaining("recording_blocked"),
      },
      said: {
        status: { code: 0, out: expect.stringMatching(/^state {3}degraded$[^]*The disk is full/m) },
        ls: { out: expect.stringContaining("! disk full") },
        inbox: { out: expect.stringMatching(/The disk is full[^]*cannot be recorded/) },
        doctor: { out: expect.stringMatching(/recordings +cannot be written/) },
        run: { error: why },
        wait: { error: why },
      },
      removed: 0,
      last: { exitCode: 7 },
      ending: "bye",
      isUntold: true,
      verdict: true,
    });
    expect(seen.full.neededBytes).toBeGreaterThan(0);
    expect(seen.said.ls.out).not.toContain("asks for");
  },
);
