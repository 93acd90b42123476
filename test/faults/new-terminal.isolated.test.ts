import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { canMakeDisks, OWN_MOUNTS } from "../support/small-disk.ts";
import { LONG_TEST } from "./recorded.ts";

test.runIf(canMakeDisks())(
  "P-A3: a terminal whose header finds the disk full is refused, and neither its program nor anything recorded of it is left",
  LONG_TEST,
  async () => {
    const [command = "", ...args] = OWN_MOUNTS;
    const victim = join(import.meta.dirname, "new-terminal-victim.ts");
    const node = [process.execPath, "--conditions=nacre-source", victim];
    const { stdout } = await promisify(execFile)(command, [...args, ...node]);
    expect(JSON.parse(stdout)).toEqual({
      refused: "recording_blocked",
      suggestion: expect.stringContaining("Make room on the disk"),
      isRunning: false,
      meanwhile: true,
      after: 2,
    });
  },
);
