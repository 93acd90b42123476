import { expect, test } from "vitest";
import type { EntryRow } from "../store/store.ts";
import { auditRecord } from "../testing/audit-record.ts";
import { terminalRow } from "../testing/terminal-row.ts";
import { HandedOver, type Remains, type Waiting } from "./handed-over.ts";
import { A, clear, output, type WriteWithoutTicket } from "./testing/recorder-rig.ts";
import type { Write } from "./write.ts";

/** Writes with their tickets, and what their senders were told. */
class Senders {
  readonly told: string[] = [];
  #ticket = 0;

  send(...writes: WriteWithoutTicket[]): Waiting[] {
    return writes.map((write) => {
      const ticket = ++this.#ticket;
      return {
        write: { ...write, ticket },
        handOvers: 0,
        resolve: (done) => void this.told.push(`${ticket} at ${done.count}`),
        reject: ({ message }) => void this.told.push(`${ticket} ${message}`),
      };
    });
  }
}

const done = (ticket: number, count: number) => ({ ticket, count, elapsedMs: 0, data: null });

const shown = ({ again, lost }: Remains) => ({
  again: again.map(({ write }) => [write.ticket, "mayBeAt" in write && write.mayBeAt]),
  lost: lost.map(({ write }) => write.ticket),
});

const CREATED = { kind: "terminal", row: terminalRow("a") } as const;
const strict = { strict: true };

test("what is strict is counted on from the newest entry that is known, gaps and others included", () => {
  const senders = new Senders();
  const handedOver = new HandedOver();
  handedOver.add(senders.send(CREATED, clear()));
  handedOver.noteGap({ terminalId: A, sequence: 9 } as EntryRow);
  handedOver.confirm(done(1, 0));
  handedOver.noteGap({ terminalId: A, sequence: 2 } as EntryRow);
  handedOver.confirm(done(2, 1));
  handedOver.add(senders.send(output("a", strict), output("b"), output("c", strict)));
  expect(shown(handedOver.takeAll())).toEqual({
    again: [
      [3, 3],
      [5, 5],
    ],
    lost: [4],
  });
  expect(shown(handedOver.takeAll())).toEqual({ again: [], lost: [] });
  expect(senders.told).toEqual(["1 at 0", "2 at 1"]);
});

test("what cannot be counted on is lost: nobody could tell whether it is there", () => {
  const senders = new Senders();
  const handedOver = new HandedOver();
  handedOver.add(senders.send(output("a", strict), CREATED));
  expect(shown(handedOver.takeAll())).toEqual({ again: [], lost: [1, 2] });
});

test("a recording that somebody else began is counted on from where that ended, and a seal can be handed over anyway", () => {
  const senders = new Senders();
  const handedOver = new HandedOver();
  handedOver.resume(A, 7);
  const seal = { kind: "seal", terminalId: A, at: 1 } as const;
  handedOver.add(senders.send(output("a", strict), seal));
  expect(shown(handedOver.takeAll())).toEqual({
    again: [
      [1, 8],
      [2, false],
    ],
    lost: [],
  });
});

test("records of the audit are counted on from the newest that is known, and apart from entries", () => {
  const senders = new Senders();
  const handedOver = new HandedOver();
  const audit = { kind: "audit", record: auditRecord(1) } as const;
  handedOver.add(senders.send(audit, audit, clear()));
  handedOver.confirm(done(1, 41));
  handedOver.add(senders.send(audit));
  expect(shown(handedOver.takeAll())).toEqual({
    again: [
      [2, 42],
      [4, 43],
    ],
    lost: [3],
  });
  handedOver.add(senders.send(audit));
  expect(shown(handedOver.takeAll()).again).toEqual([[5, 42]]);
});

test("strict bytes stay with the sender until they are settled", () => {
  const senders = new Senders();
  const handedOver = new HandedOver();
  const [kept, given] = senders.send(output("a", strict), output("b"));
  const sent = handedOver.add([kept, given].flatMap((waiting) => waiting ?? []));
  const dataOf = (write?: Write) => (write?.kind === "entry" ? write.data : null);
  expect(dataOf(sent[0])).toEqual(dataOf(kept?.write));
  expect(dataOf(sent[0])).not.toBe(dataOf(kept?.write));
  expect(dataOf(sent[1])).toBe(dataOf(given?.write));
});
