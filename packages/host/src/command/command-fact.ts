import type { EntryOf } from "@nacre/contracts";

/** The place that appending gives a fact, and when it happened. */
type EntryHeaderField = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

/** What following commands finds worth recording. */
export type CommandFact =
  | Omit<EntryOf<"command">, EntryHeaderField>
  | Omit<EntryOf<"commandEnd">, EntryHeaderField>
  | Omit<EntryOf<"cwd">, EntryHeaderField>;
