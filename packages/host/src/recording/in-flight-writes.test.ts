import { expect, test } from "vitest";
import type { EntryRow } from "../store/store.ts";
import { auditRecord } from "../testing/audit-record.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import {
  InFlightWrites,
  MAX_TRIES,
  type ResendPlan,
  type PendingWrite,
} from "./in-flight-writes.ts";
import { A, clear, output, type WriteWithoutTicket } from "./testing/recorder-rig.ts";
import type { Write } from "./write.ts";

/** Writes with their tickets, and what their senders were told. */
class Senders {
  readonly told: string[] = [];
  #ticket = 0;

  send(...writes: WriteWithoutTicket[]): PendingWrite[] {
    return writes.map((write) => {
      const ticket = ++this.#ticket;
      return {
        write: { ...write, ticket },
        tries: 0,
        resolve: (done) => void this.told.push(`${ticket} at ${done.count}`),
        reject: ({ message }) => void this.told.push(`${ticket} ${message}`),
      };
    });
  }
}

const done = (ticket: number, count: number) => ({ ticket, count, elapsedMs: 0, data: null });

const shown = ({ again, lost }: ResendPlan) => ({
  again: again.map(({ write }) => [
    write.ticket,
    "committedBefore" in write && write.committedBefore,
  ]),
  lost: lost.map(({ write }) => write.ticket),
});

const CREATED = { kind: "terminal", row: terminalRow("a") } as const;
const strict = { strict: true };

test("what is strict is counted on from the newest entry that is known, gaps and others included", () => {
  const senders = new Senders();
  const inFlight = new InFlightWrites();
  inFlight.add(senders.send(CREATED, clear()));
  inFlight.noteGap({ terminalId: A, sequence: 9 } as EntryRow);
  inFlight.confirm(done(1, 0));
  inFlight.noteGap({ terminalId: A, sequence: 2 } as EntryRow);
  inFlight.confirm(done(2, 1));
  inFlight.add(senders.send(output("a", strict), output("b"), output("c", strict)));
  expect(shown(inFlight.takeAll(true))).toEqual({
    again: [
      [3, 2],
      [5, 2],
    ],
    lost: [4],
  });
  expect(shown(inFlight.takeAll(true))).toEqual({ again: [], lost: [] });
  expect(senders.told).toEqual(["1 at 0", "2 at 1"]);
});

test("what cannot be counted on is lost: nobody could tell whether it is there", () => {
  const senders = new Senders();
  const inFlight = new InFlightWrites();
  inFlight.add(senders.send(output("a", strict), CREATED));
  expect(shown(inFlight.takeAll(true))).toEqual({ again: [], lost: [1, 2] });
});

test("a recording that somebody else began is counted on from where that ended, and a seal can be handed over anyway", () => {
  const senders = new Senders();
  const inFlight = new InFlightWrites();
  inFlight.resume(A, 7);
  const seal = { kind: "seal", terminalId: A, at: 1 } as const;
  inFlight.add(senders.send(output("a", strict), seal));
  expect(shown(inFlight.takeAll(true))).toEqual({
    again: [
      [1, 7],
      [2, false],
    ],
    lost: [],
  });
});

test("records of the audit are counted on from the newest that is known, and apart from entries", () => {
  const senders = new Senders();
  const inFlight = new InFlightWrites();
  const audit = { kind: "audit", record: auditRecord(1) } as const;
  inFlight.add(senders.send(audit, audit, clear()));
  inFlight.confirm(done(1, 41));
  inFlight.add(senders.send(audit));
  expect(shown(inFlight.takeAll(true))).toEqual({
    again: [
      [2, 41],
      [4, 41],
    ],
    lost: [3],
  });
  inFlight.add(senders.send(audit));
  expect(shown(inFlight.takeAll(true)).again).toEqual([[5, 41]]);
});

test("what ended no recorder that could write is handed over for ever, and what ended many is not", () => {
  const inFlight = new InFlightWrites();
  inFlight.resume(A, 7);
  let waiting: readonly PendingWrite[] = new Senders().send(output("a", strict));
  const takeAgain = (couldWrite: boolean): ResendPlan => {
    inFlight.add(waiting);
    const remains = inFlight.takeAll(couldWrite);
    waiting = remains.again;
    return remains;
  };
  for (let count = 0; count < 2 * MAX_TRIES; count++) expect(takeAgain(false).lost).toEqual([]);
  for (let count = 1; count < MAX_TRIES; count++) expect(takeAgain(true).lost).toEqual([]);
  expect(takeAgain(true)).toMatchObject({ again: [], lost: [{ write: { ticket: 1 } }] });
});

test("strict bytes stay with the sender until they are settled", () => {
  const senders = new Senders();
  const inFlight = new InFlightWrites();
  const [kept, given] = senders.send(output("a", strict), output("b"));
  const sent = inFlight.add([kept, given].flatMap((waiting) => waiting ?? []));
  const dataOf = (write?: Write) => (write?.kind === "entry" ? write.data : null);
  expect(dataOf(sent[0])).toEqual(dataOf(kept?.write));
  expect(dataOf(sent[0])).not.toBe(dataOf(kept?.write));
  expect(dataOf(sent[1])).toBe(dataOf(given?.write));
});
