import { z } from "zod";
import { labelText } from "./bounded-text.ts";

/** The part of an id after its table name; safe in channels, URIs and file names alike. */
export const UID_PATTERN = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}";

/** What `UID_PATTERN` asks for, in words. */
export const UID_WORDS = "1 to 128 letters, digits, `_` or `-` that begin with a letter or digit";

/** The brand comes last: a method called after it, inside a generic function, would lose it from the type. */
const branded = <Brand extends string>(pattern: string, words: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${pattern}$`), `expected ${words}`)
    .meta({ description })
    .brand<Brand>();

/** Names a Terminal for ever; made by the host, never reused, never a label. */
export const TerminalId = branded<"TerminalId">(
  `terminal:${UID_PATTERN}`,
  `\`terminal:\` and ${UID_WORDS}`,
  "Identity of a terminal, `terminal:<uid>`; made by the host and never reused.",
);
export type TerminalId = z.infer<typeof TerminalId>;

/** Names one Entry of a Recording. */
export const RecordingEntryId = branded<"RecordingEntryId">(
  `terminal_recording_entry:${UID_PATTERN}`,
  `\`terminal_recording_entry:\` and ${UID_WORDS}`,
  "Identity of a recording entry, `terminal_recording_entry:<uid>`.",
);
export type RecordingEntryId = z.infer<typeof RecordingEntryId>;

/** Names the authenticated person or agent behind an Operation. */
export const CallerId = branded<"CallerId">(
  "[!-~]{1,256}",
  "1 to 256 visible ASCII characters",
  "Identity of the authenticated person or agent behind an operation.",
);
export type CallerId = z.infer<typeof CallerId>;

/** Long enough for any identity of another system, short enough to be in every claim. */
const MAX_CLIENT_ID_LENGTH = 256;

/** Names a client among those of a Terminal; chosen by the client, so it proves nothing and is only compared. */
export const ClientId = labelText({
  description: "Name that a client chose for itself; opaque, only compared.",
  maxLength: MAX_CLIENT_ID_LENGTH,
}).brand<"ClientId">();
export type ClientId = z.infer<typeof ClientId>;

/** Names one Command of one Terminal. */
export const CommandId = branded<"CommandId">(
  UID_PATTERN,
  UID_WORDS,
  "Identity of a command, unique inside its terminal.",
);
export type CommandId = z.infer<typeof CommandId>;

/** Names one Host among several. */
export const NodeId = branded<"NodeId">(
  UID_PATTERN,
  UID_WORDS,
  "Identity of a host among several.",
);
export type NodeId = z.infer<typeof NodeId>;
