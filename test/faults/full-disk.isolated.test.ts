import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { canMakeDisks, OWN_MOUNTS } from "../support/small-disk.ts";
import { LONG_TEST } from "./recorded.ts";

test.runIf(canMakeDisks())(
  "programs of a daemon whose disk is full wait, and go on by themselves when there is room: not a byte is missing",
  LONG_TEST,
  async () => {
    const [command = "", ...args] = OWN_MOUNTS;
    const victim = join(import.meta.dirname, "full-disk-victim.ts");
    const node = [process.execPath, "--conditions=nacre-source", victim];
    const { stdout } = await promisify(execFile)(command, [...args, ...node]);
    expect(JSON.parse(stdout)).toMatchObject({
      full: { state: "full", reason: expect.stringMatching(/full|left/) },
      waits: true,
      refused: "recording_blocked",
      metric: 0,
      whole: true,
      hasGap: false,
      verdict: true,
      next: true,
      isLogged: true,
    });
  },
);
