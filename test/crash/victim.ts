// A program that records in its main thread until it is ended from outside: `victim <file> <durability> <scenario> <seed> [wait]`.
import { readFileSync } from "node:fs";
import type { TerminalId } from "@nacre/contracts";
import { Recorder } from "../../packages/host/src/recording/recorder.ts";
import type { RecorderReport, Write } from "../../packages/host/src/recording/write.ts";
import { checkpointWalFile } from "../../packages/host/src/store/sqlite-database.ts";
import { openSqliteReader, openSqliteStore } from "../../packages/host/src/store/sqlite-store.ts";
import type { Durability } from "../../packages/host/src/store/store.ts";
import { entryWriteOf, idOf, terminalOf, uidOf } from "../support/numbered-entries.ts";
import { seededRandom } from "../support/random.ts";
import { auditRecordOf, MAX_AUDIT_RECORDS } from "./known-audit.ts";
import { type Deed, say, waitForWord } from "./said.ts";
import { isScenario, SCENARIOS, type Victim } from "./scenarios.ts";

const [path = "", durability = "process", scenario = "", seed = "1", pause] = process.argv.slice(2);

/** Where the index of a log says how many pages it has, and how many of them are folded into the store. */
const LOG_HEAD_BYTES = 136;
const LOG_PAGES_AT = 16;
const FOLDED_PAGES_AT = 96;

/** Recorders make one group of so much for sure, which is then there as a whole or not at all. */
const MAX_OFFER_BYTES = 128 * 1024;

/** The store and where its recordings end; everything is committed before a call returns. */
class RecordingVictim implements Victim {
  readonly random = seededRandom(Number(seed));
  #recorder: Recorder | undefined;
  readonly #ends = new Map<string, number>();
  #auditEnd = 0;
  #lastTicket = 0;
  #failure: string | undefined;

  watch(): void {
    if (pause === "wait") waitForWord();
  }

  open(): void {
    this.#recorder = new Recorder({
      open: () => openSqliteStore(path, durability as Durability),
      freeBytes: () => Number.POSITIVE_INFINITY,
      report: (report) => this.#hear(report),
    });
    this.#ends.clear();
    using reader = openSqliteReader(path);
    for (const { terminalId, lastSequence, sealed } of reader.readUsage()) {
      if (!sealed) this.#ends.set(uidOf(terminalId), lastSequence);
    }
    this.#auditEnd = reader.readAudit({ after: 0, limit: MAX_AUDIT_RECORDS }).length;
    say({ say: "opened" });
  }

  close(): void {
    this.#recorder?.[Symbol.dispose]();
    this.#recorder = undefined;
    say({ say: "closed" });
  }

  openTerminals(): readonly string[] {
    return [...this.#ends.keys()];
  }

  endOf(uid: string): number {
    return this.#ends.get(uid) ?? 0;
  }

  readLog(): { pages: number; folded: number } {
    // The head of the index of the log, as SQLite's file format describes it.
    const head = readFileSync(`${path}-shm`).subarray(0, LOG_HEAD_BYTES);
    return { pages: head.readUInt32LE(LOG_PAGES_AT), folded: head.readUInt32LE(FOLDED_PAGES_AT) };
  }

  create(uid: string): void {
    this.#do({ kind: "terminal", ticket: ++this.#lastTicket, row: terminalOf(uid) }, uid);
    this.#ends.set(uid, 0);
  }

  record(counts: Readonly<Record<string, number>>): void {
    let writes: Write[] = [];
    let through: Record<string, number> = {};
    let bytes = 0;
    for (const [uid, count] of Object.entries(counts)) {
      for (let left = count; left > 0; left--) {
        const sequence = this.endOf(uid) + 1;
        const write = entryWriteOf(uid, sequence, { ticket: ++this.#lastTicket });
        writes.push(write);
        bytes += write.data?.byteLength ?? 0;
        through[uid] = sequence;
        this.#ends.set(uid, sequence);
        if (bytes < MAX_OFFER_BYTES) continue;
        this.#offer(writes, through);
        [writes, through, bytes] = [[], {}, 0];
      }
    }
    if (writes.length > 0) this.#offer(writes, through);
  }

  audit(count: number): void {
    const records = Array.from({ length: count }, (_, n) => auditRecordOf(this.#auditEnd + n + 1));
    this.#auditEnd += count;
    say({ say: "offerAudit", sequence: this.#auditEnd });
    this.#commit(records.map((record) => ({ kind: "audit", ticket: ++this.#lastTicket, record })));
    say({ say: "audited", sequence: this.#auditEnd });
  }

  seal(uid: string): void {
    const sequence = this.endOf(uid);
    this.#do(
      { kind: "seal", ticket: ++this.#lastTicket, terminalId: idOf(uid), at: 1 },
      uid,
      sequence,
    );
    this.#ends.delete(uid);
  }

  trim(uid: string, sequence: number): void {
    const target: { terminalId: TerminalId; throughSequence: number } = {
      terminalId: idOf(uid),
      throughSequence: sequence,
    };
    this.#do({ kind: "trim", ticket: ++this.#lastTicket, ...target }, uid, sequence);
  }

  delete(uid: string): void {
    this.#do({ kind: "delete", ticket: ++this.#lastTicket, terminalId: idOf(uid) }, uid);
    this.#ends.delete(uid);
  }

  fold(): void {
    checkpointWalFile(path);
  }

  scrub(): void {
    this.#do({ kind: "scrub", ticket: ++this.#lastTicket }, "");
  }

  #offer(writes: readonly Write[], through: Readonly<Record<string, number>>): void {
    say({ say: "offer", through });
    this.#commit(writes);
    say({ say: "recorded", through });
  }

  #do(write: Extract<Write, { kind: "terminal" | Deed }>, uid: string, sequence = 0): void {
    const deed: Deed = write.kind === "terminal" ? "create" : write.kind;
    say({ say: "will", deed, uid, sequence });
    this.#commit([write]);
    say({ say: "did", deed, uid, sequence });
  }

  #commit(writes: readonly Write[]): void {
    this.#recorder?.push(writes);
    this.#recorder?.commit();
    if (this.#failure !== undefined) throw new Error(this.#failure);
  }

  #hear(report: RecorderReport): void {
    if (report.kind === "state" && report.state.state === "degraded")
      this.#failure = report.state.message;
    if (report.kind === "settled") this.#failure ??= report.failed[0]?.problem.message;
  }
}

if (!isScenario(scenario)) throw new Error(`there is no scenario ${scenario}`);
SCENARIOS[scenario](new RecordingVictim());
