import { CallerId, NacreError, type NewAuditRecord, TerminalId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { AuditTrail, REFUSAL_BURST } from "./audit-trail.ts";

const context = { caller: { id: CallerId.parse("ann"), scope: "operator" }, via: "http" } as const;
const deed = { action: "sendInput", terminalId: TerminalId.parse("terminal:a1") };

/** A trail into an audit that does this with records. */
function trailInto(append: (record: NewAuditRecord) => Promise<void>) {
  const problems: unknown[] = [];
  const list = async () => ({ records: [], truncated: false });
  const trail = new AuditTrail({ append, list }, (error) => void problems.push(error), 20);
  return { trail, problems };
}

test("nobody waits for long for a store that cannot be written, and the record waits on", async () => {
  const kept = Promise.withResolvers<void>();
  const { trail, problems } = trailInto(() => kept.promise);
  await trail.note(deed, context);
  expect(problems).toEqual([]);
  kept.reject(new NacreError("recording_blocked", "too much waits"));
  await expect.poll(() => problems).toHaveLength(1);
});

test("a record that is lost is named in what is reported", async () => {
  const { trail, problems } = trailInto(() =>
    Promise.reject(new NacreError("recording_blocked", "too much waits")),
  );
  await trail.note(deed, context);
  expect(problems).toMatchObject([
    {
      code: "recording_blocked",
      message: "the audit has no record of sendInput by ann on terminal:a1 (ok): too much waits",
    },
  ]);
});

test("a field that the caller named cannot keep the record from being written", async () => {
  const records: NewAuditRecord[] = [];
  const { trail } = trailInto(async (record) => void records.push(record));
  const field = `${"x".repeat(127)}\u{1F600}${"y".repeat(5000)}`;
  const error = new NacreError("invalid_argument", "no", { field });
  await trail.note({ ...deed, error }, context);
  expect(records).toMatchObject([{ facts: { field: `${"x".repeat(127)}\u{FFFD}` } }]);
});

test("refusals without end are counted in the next record, what was begun is always written down", async () => {
  const records: NewAuditRecord[] = [];
  const { trail } = trailInto(async (record) => void records.push(record));
  const error = new NacreError("terminal_not_found", "no");
  const refuse = { ...deed, error, isRefusal: true };
  for (let count = 0; count < 2 * REFUSAL_BURST; count += 1) await trail.note(refuse, context);
  expect(records.length).toBeLessThan(1.5 * REFUSAL_BURST);
  records.length = 0;
  await trail.note({ ...deed, error }, context);
  await trail.note(deed, context);
  expect(records.map(({ outcome }) => outcome)).toEqual(["terminal_not_found", "ok"]);
});
