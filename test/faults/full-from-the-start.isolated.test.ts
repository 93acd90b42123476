import { expect, test } from "vitest";
import { runCli } from "../support/daemon-process.ts";
import { FaultyDaemon } from "./faulty-daemon.ts";
import { LONG_TEST } from "./recorded.ts";

/** More than any disk has left, so that the first write finds the disk full. */
const FLOOR_BYTES = String(Number.MAX_SAFE_INTEGER);

test(
  "P-A3: a terminal whose creation finds the disk full is refused and leaves nothing, and an empty list tells why",
  LONG_TEST,
  async () => {
    await using daemon = await FaultyDaemon.start({ env: { NACRE_FLOOR_BYTES: FLOOR_BYTES } });
    const { home } = daemon;
    const env = { NACRE_ALLOW_ROOT: "true" };
    const created = await runCli(["new", "--json"], { home, env });
    expect(created.code).not.toBe(0);
    expect(created.error + created.out).toContain("recording_blocked");
    expect(created.error + created.out).toContain("Make room on the disk");
    const listed = await runCli(["ls", "--all"], { home, env });
    expect(listed).toMatchObject({ code: 0, error: "" });
    expect(listed.out).toMatch(/The disk is full: nothing is recorded[^]*No terminals\./);
  },
);
