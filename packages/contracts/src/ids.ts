import { z } from "zod";

/** The part of an id after its table name; safe in channels, URIs and file names alike. */
export const UID_PATTERN = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}";

/** The brand comes last: a method called after it, inside a generic function, would lose it from the type. */
const branded = <Brand extends string>(pattern: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${pattern}$`), `expected the form ${pattern}`)
    .meta({ description })
    .brand<Brand>();

/** Names a Terminal for ever; made by the host, never reused, never a label. */
export const TerminalId = branded<"TerminalId">(
  `terminal:${UID_PATTERN}`,
  "Identity of a terminal, `terminal:<uid>`; made by the host and never reused.",
);
export type TerminalId = z.infer<typeof TerminalId>;

/** Names one Entry of a Recording. */
export const RecordingEntryId = branded<"RecordingEntryId">(
  `terminal_recording_entry:${UID_PATTERN}`,
  "Identity of a recording entry, `terminal_recording_entry:<uid>`.",
);
export type RecordingEntryId = z.infer<typeof RecordingEntryId>;

/** Names the authenticated person or agent behind an Operation. */
export const CallerId = branded<"CallerId">(
  "[!-~]{1,256}",
  "Identity of the authenticated person or agent behind an operation.",
);
export type CallerId = z.infer<typeof CallerId>;

/** Names one Command of one Terminal. */
export const CommandId = branded<"CommandId">(
  UID_PATTERN,
  "Identity of a command, unique inside its terminal.",
);
export type CommandId = z.infer<typeof CommandId>;

/** Names one Host among several. */
export const NodeId = branded<"NodeId">(UID_PATTERN, "Identity of a host among several.");
export type NodeId = z.infer<typeof NodeId>;
