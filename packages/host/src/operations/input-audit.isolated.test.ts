import { CallerId, NacreError, type NewAuditRecord, TerminalId } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AuditDigest } from "./audit-facts.ts";
import { AuditTrail } from "./audit-trail.ts";
import { InputAudit } from "./input-audit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const digest = new AuditDigest();

function start() {
  const records: NewAuditRecord[] = [];
  const log = {
    append: async (record: NewAuditRecord) => void records.push(record),
    list: async () => ({ records: [], truncated: false }),
  };
  const trail = new AuditTrail(log, () => undefined);
  const caller = { id: CallerId.parse("ann"), scope: "agent" } as const;
  const terminalId = TerminalId.parse("terminal:a1");
  const audit = new InputAudit({ trail, digest, terminalId, context: { caller, via: "raw" } });
  return { audit, records };
}

test("what is typed within a second is one record, and the next second has its own", () => {
  const { audit, records } = start();
  audit.recordTyped(Buffer.from("ab"), false);
  vi.advanceTimersByTime(999);
  audit.recordTyped(Buffer.from("c"), false);
  audit.recordResize();
  expect(records).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(records).toMatchObject([
    { action: "sendInput", outcome: "ok", facts: { writes: 2, bytes: 3, resizes: 1 } },
  ]);
  audit.recordTyped(Buffer.from("d"), false);
  vi.advanceTimersByTime(1000);
  expect(records).toMatchObject([{}, { facts: { writes: 1, bytes: 1 } }]);
  vi.advanceTimersByTime(10_000);
  expect(records).toHaveLength(2);
});

test("pieces have the digest of what they are together", () => {
  const [one, other] = [start(), start()];
  one.audit.recordTyped(Buffer.from("abc"), false);
  other.audit.recordTyped(Buffer.from("ab"), false);
  other.audit.recordTyped(Buffer.from("c"), false);
  one.audit[Symbol.dispose]();
  other.audit[Symbol.dispose]();
  expect(one.records[0]?.facts).toMatchObject({ digest: digest.of("abc") });
  expect(other.records[0]?.facts).toMatchObject({ digest: digest.of("abc") });
});

test("of what is withheld neither bytes nor keys are counted", () => {
  const { audit, records } = start();
  for (const key of ["p", "w", "1"]) audit.recordTyped(Buffer.from(key), true);
  audit[Symbol.dispose]();
  expect(records).toMatchObject([{ outcome: "ok", facts: { redacted: true } }]);
  audit.recordTyped(Buffer.from("a"), false);
  audit.recordTyped(Buffer.from("p"), true);
  audit[Symbol.dispose]();
  const facts = { writes: 1, bytes: 1, digest: digest.of("a"), redacted: true };
  expect(records.map((record) => record.facts)).toEqual([{ redacted: true }, facts]);
});

test("what was only refused has the code of the refusal", () => {
  const { audit, records } = start();
  audit.recordRefusal(new NacreError("claim_held", "no"));
  audit[Symbol.dispose]();
  expect(records).toMatchObject([{ outcome: "claim_held", facts: { refused: 1 } }]);
});

test("whoever types nothing leaves no record", () => {
  const { audit, records } = start();
  audit[Symbol.dispose]();
  vi.advanceTimersByTime(5000);
  expect(records).toEqual([]);
});
