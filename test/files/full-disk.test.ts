import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { canMakeDisks, OWN_MOUNTS } from "../support/small-disk.ts";

test.runIf(canMakeDisks())(
  "what cannot be written down is not done, and is done once when it is asked for again",
  async () => {
    const [command = "", ...args] = OWN_MOUNTS;
    const victim = join(import.meta.dirname, "full-disk-victim.ts");
    const node = [process.execPath, "--conditions=nacre-source", victim];
    const { stdout } = await promisify(execFile)(command, [...args, ...node]);
    const said: unknown = JSON.parse(stdout);
    expect(said).toMatchObject({ whileFull: 0, ok: true, count: 1 });
    expect(said).toMatchObject({ problem: expect.stringContaining("ENOSPC") });
  },
);
