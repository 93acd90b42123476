import type { EntryOf } from "@nacre/contracts";

/** The place that appending gives a fact, and when it happened. */
type Place = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

/** What following commands finds worth recording. */
export type CommandFact =
  | Omit<EntryOf<"command">, Place>
  | Omit<EntryOf<"commandEnd">, Place>
  | Omit<EntryOf<"cwd">, Place>;
