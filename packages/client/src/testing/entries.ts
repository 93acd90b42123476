import {
  type EntryType,
  type TerminalRecordingEntry,
  TerminalRecordingEntrySchema,
} from "@nacre/contracts";

/** What a test says of an entry. */
interface Fact extends Readonly<Record<string, unknown>> {
  readonly type: EntryType;
  readonly elapsedMs?: number;
}

/** The terminal whose recording tests make up. */
const TERMINAL_ID = "terminal:t1";

/** Makes entries that are what the contract says, numbered from 1; what a test does not say is filled in. */
export const entries = (facts: readonly Fact[]): readonly TerminalRecordingEntry[] =>
  facts.map((fact, at) =>
    TerminalRecordingEntrySchema.parse({
      id: `terminal_recording_entry:e${at + 1}`,
      sequence: at + 1,
      terminalId: TERMINAL_ID,
      occurredAt: new Date(fact.elapsedMs ?? 0).toISOString(),
      elapsedMs: 0,
      ...fact,
    }),
  );
