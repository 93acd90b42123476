import type { HostInfo } from "@nacre/contracts";
import { expect, test } from "vitest";
import { partFindings } from "./daemon.ts";

const shown = (host: Partial<HostInfo>): string[] =>
  partFindings({ storage: { state: "ok" }, ...host } as HostInfo).map(
    ({ check, state, found }) => `${check} ${state}: ${found}`,
  );

test("says what of a daemon works, and what does not", () => {
  expect(shown({ keeper: { state: "ok", pid: 7 } })).toEqual([
    "recordings ok: are written as they should",
    "keeper ok: pid 7, answers",
  ]);
  const since = "2026-01-01T00:00:00.000Z";
  expect(
    shown({
      storage: { state: "full", reason: "the disk is full", since },
      keeper: { state: "silent", pid: 7 },
      damagedRecordings: 2,
      restarts: { reader: 3 },
    }),
  ).toEqual([
    `recordings wrong: cannot be written since ${since}: the disk is full`,
    "keeper wrong: pid 7, does not answer",
    "damage warning: in 2 recordings",
    "restarts warning: reader 3 times",
  ]);
});
