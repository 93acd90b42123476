import { z } from "zod";
import { labelText } from "./bounded-text.ts";

/** Position of an entry in its recording: 1, 2, 3… without holes. */
export const Sequence = z
  .int()
  .min(1)
  .meta({ description: "Position of an entry in its recording: 1, 2, 3… without holes." });
export type Sequence = z.infer<typeof Sequence>;

/** The entry before the first one wanted; 0 starts at the beginning. */
export const AfterSequence = z.int().min(0).meta({
  description: "Only entries with a greater sequence; 0 means from the beginning.",
});
export type AfterSequence = z.infer<typeof AfterSequence>;

/** Position of a byte in a terminal's raw output, from 0; the same in every view. */
export const Offset = z.int().min(0).meta({
  description:
    "Position of a byte in the raw output of a terminal, from 0; always counts raw bytes.",
});
export type Offset = z.infer<typeof Offset>;

/** ISO 8601 in UTC, as `Date.prototype.toISOString` writes it; the form of every time on a wire. */
export const Timestamp = z.iso.datetime().meta({
  description: "A moment as ISO 8601 in UTC, such as `2026-01-31T09:30:00.000Z`.",
  // zod's calendar-exact pattern is 300 characters long; the reference needs only the form.
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
});
export type Timestamp = z.infer<typeof Timestamp>;

/** The part of an id after the table name; safe in channels, URIs and file names. */
export const UID_PATTERN = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}";

export const UID_WORDS = "1 to 128 letters, digits, `_` or `-` that begin with a letter or digit";

/** `.brand()` comes last: a method called after it in a generic function drops the brand from the type. */
const branded = <Brand extends string>(pattern: string, words: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${pattern}$`), `expected ${words}`)
    .meta({ description })
    .brand<Brand>();

/** Made by the host, permanent and never reused; not a label. */
export const TerminalId = branded<"TerminalId">(
  `terminal:${UID_PATTERN}`,
  `\`terminal:\` and ${UID_WORDS}`,
  "Identity of a terminal, `terminal:<uid>`; made by the host and never reused.",
);
export type TerminalId = z.infer<typeof TerminalId>;

export const RecordingEntryId = branded<"RecordingEntryId">(
  `terminal_recording_entry:${UID_PATTERN}`,
  `\`terminal_recording_entry:\` and ${UID_WORDS}`,
  "Identity of a recording entry, `terminal_recording_entry:<uid>`.",
);
export type RecordingEntryId = z.infer<typeof RecordingEntryId>;

/** The authenticated person or agent behind an operation. */
export const CallerId = branded<"CallerId">(
  "[!-~]{1,256}",
  "1 to 256 visible ASCII characters",
  "Identity of the authenticated person or agent behind an operation.",
);
export type CallerId = z.infer<typeof CallerId>;

/** Holds any other system's identity; short because every claim carries it. */
const MAX_CLIENT_ID_LENGTH = 256;

/** Chosen by the client: it proves nothing and is only compared. */
export const ClientId = labelText({
  description: "Name that a client chose for itself; opaque, only compared.",
  maxLength: MAX_CLIENT_ID_LENGTH,
}).brand<"ClientId">();
export type ClientId = z.infer<typeof ClientId>;

export const CommandId = branded<"CommandId">(
  UID_PATTERN,
  UID_WORDS,
  "Identity of a command, unique inside its terminal.",
);
export type CommandId = z.infer<typeof CommandId>;
