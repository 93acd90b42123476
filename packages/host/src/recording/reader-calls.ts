import type { Transferable } from "node:worker_threads";
import type { FindRecordingEntriesInput, ListAuditInput, TerminalId } from "@nacre/contracts";
import type { AuditKind, EntryQuery, StoreReader, TerminalPage } from "../store/store.ts";
import { readRecording } from "./damage.ts";
import { RecordingReader, type WindowOptions } from "./reader.ts";
import { planRetention, type RetentionPolicy } from "./retention.ts";
import type { TimelineQuery } from "./timeline.ts";
import { type TaskInput, ReaderTasks } from "./tasks.ts";

/** What a reader thread can be asked. */
export function createReaderMethods(store: StoreReader) {
  const reader = new RecordingReader(store);
  const tasks = new ReaderTasks(store);
  return {
    readTerminal: (id: TerminalId) => readRecording(id, () => reader.readTerminal(id)),
    listTerminals: (page: TerminalPage) => reader.listTerminals(page),
    findEntries: (input: FindRecordingEntriesInput) =>
      readRecording(input.terminalId, () => reader.findEntries(input)),
    readEntries: (query: EntryQuery, createdAt?: string) =>
      readRecording(query.terminalId, () => reader.readEntries(query, createdAt)),
    readWindow: (id: TerminalId, options?: WindowOptions) =>
      readRecording(id, () => reader.readWindow(id, options)),
    readExtent: (id: TerminalId, createdAt?: string) =>
      readRecording(id, () => reader.readExtent(id, createdAt)),
    findSnapshot: (id: TerminalId, atOrBefore: number, createdAt?: string) =>
      reader.findSnapshot(id, atOrBefore, createdAt),
    readTimeline: (query: TimelineQuery) =>
      readRecording(query.id, () => reader.readTimeline(query)),
    findSequenceAt: (id: TerminalId, elapsedMs: number) =>
      readRecording(id, () => reader.findSequenceAt(id, elapsedMs)),
    readHead: (id: TerminalId) => readRecording(id, () => store.readHead(id)),
    listUnsealed: () => store.listUnsealed(),
    planRetention: (policy: RetentionPolicy, now: number) => planRetention(store, policy, now),
    listAudit: (page: ListAuditInput) => reader.listAudit(page),
    findAuditBehind: (kind: AuditKind, newerCount: number) =>
      store.findAuditBehind(kind, newerCount),
    findDamage: () => store.findDamage(),
    start: (input: TaskInput) => tasks.start(input),
    next: (id: number) => tasks.next(id),
    stop: (id: number) => tasks.stop(id),
  };
}

/** The table of what a reader thread can be asked. */
export type ReaderMethods = ReturnType<typeof createReaderMethods>;

/** Bytes of an answer that nobody else uses are handed over instead of copied. */
export function transferablesOf(answer: unknown): Transferable[] {
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return items.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const bytes = "data" in item ? item.data : "bytes" in item ? item.bytes : undefined;
    return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
  });
}
