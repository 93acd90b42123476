import { CallerId, NewAuditRecord, parse } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ConnectionAudit, type ConnectionAuditRecord, MAX_RECORDS_PER_SECOND } from "./audit.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";

const REFUSED: ConnectionAuditRecord = {
  action: "refuse",
  via: "http",
  outcome: "unauthenticated",
  facts: { reason: "credential" },
};
const CONNECTED: ConnectionAuditRecord = { action: "connect", via: "raw", outcome: "ok" };

function makeAudit(failure?: Error) {
  const written: NewAuditRecord[] = [];
  const reports: unknown[] = [];
  const clock = new ManualClock();
  const append = async (record: NewAuditRecord): Promise<void> => {
    if (failure !== undefined) throw failure;
    written.push(parse(NewAuditRecord, record));
  };
  const report = (error: unknown): void => void reports.push(error);
  return {
    written,
    reports,
    clock,
    audit: new ConnectionAudit({ audit: { append }, clock, report }),
  };
}

const repeat = (count: number, run: () => void): void =>
  Array.from({ length: count }).forEach(() => run());

test("a record has the time at which it happened", () => {
  const { audit, written, clock } = makeAudit();
  audit.write(REFUSED);
  expect(written).toEqual([{ ...REFUSED, occurredAt: new Date(clock.now()).toISOString() }]);
});

test("a flood is written so far and no further, and what was left out is counted in the next", () => {
  const { audit, written, clock } = makeAudit();
  repeat(1000, () => audit.write(REFUSED));
  expect(written).toHaveLength(MAX_RECORDS_PER_SECOND);
  clock.advance(1000);
  repeat(2, () => audit.write(REFUSED));
  expect(written.slice(MAX_RECORDS_PER_SECOND).map(({ facts }) => facts)).toEqual([
    { reason: "credential", unwritten: 1000 - MAX_RECORDS_PER_SECOND },
    { reason: "credential" },
  ]);
});

test("a flood of refusals does not hide who connected", () => {
  const { audit, written } = makeAudit();
  repeat(1000, () => audit.write(REFUSED));
  audit.write(CONNECTED);
  expect(written.at(-1)).toMatchObject(CONNECTED);
});

test("who connects without end does not hide that another connected", () => {
  const { audit, written } = makeAudit();
  const by = (name: string): ConnectionAuditRecord => ({
    ...CONNECTED,
    caller: CallerId.parse(name),
  });
  repeat(1000, () => audit.write(by("mallory")));
  audit.write(by("alice"));
  expect(written).toHaveLength(MAX_RECORDS_PER_SECOND + 1);
  expect(written.at(-1)).toMatchObject({ caller: "alice" });
});

test("what could not be kept is reported", async () => {
  const failure = new Error("disk full");
  const { audit, reports } = makeAudit(failure);
  audit.write(REFUSED);
  await new Promise(setImmediate);
  expect(reports).toEqual([failure]);
});
