import type { TerminalRecordingEntry } from "@nacre/contracts";

/** The place that appending gives a fact, and when it happened. */
type EntryPosition = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

/** Bytes stay bytes inside; text is made of them only at the edge. */
type WithBytes<Entry> = Entry extends { readonly type: "input" | "output" }
  ? Omit<Entry, "data" | "encoding"> & { readonly data?: Uint8Array<ArrayBuffer> | undefined }
  : Entry;

type WithoutPosition<Entry> = Entry extends unknown ? Omit<Entry, EntryPosition> : never;

/** An Entry inside the host: its data, where it has any, are bytes. */
export type RecordedEntry = WithBytes<TerminalRecordingEntry>;

/** What happened, before it has a place in a Recording. */
export type Fact = WithoutPosition<RecordedEntry>;

/** The fact of one type. */
export type FactOf<Type extends Fact["type"]> = Extract<Fact, { readonly type: Type }>;
