import { z } from "zod";
import { TerminalId } from "./ids.ts";
import { checkPage, PAGE_RULES } from "./page.ts";
import { EntryTypes, TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { AfterSequence } from "./sequence.ts";

/** How the output of a Terminal is shown to a reader; positions are those of the raw output in either. */
export const OutputView = z.enum(["stripped", "raw"]).meta({
  description:
    "How output is shown: `stripped` without the markers of shell integration (when absent), or `raw` as the program wrote it, which needs the scope `operator`; `offset` counts raw bytes in either, so continuity is judged by `sequence`.",
});
export type OutputView = z.infer<typeof OutputView>;

/** How many entries a page has when nobody says. */
export const DEFAULT_PAGE_ENTRIES = 200;

/** One answer must fit in memory on both sides; more is fetched by paging. */
export const MAX_PAGE_ENTRIES = 1000;

/** A page of large entries ends early: one answer is written in one go, and whoever types waits for that. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** Which Entries of one Terminal to read, in order of sequence. */
export const FindRecordingEntriesInput = z
  .strictObject({
    terminalId: TerminalId.meta({ description: "The terminal whose recording to read." }),
    types: EntryTypes.optional().meta({
      description: "Only entries of these types; all types when absent.",
    }),
    after: AfterSequence.optional().meta({
      description: "Only entries with a greater sequence; from the beginning when absent.",
    }),
    limit: z
      .int()
      .min(1)
      .max(MAX_PAGE_ENTRIES)
      .optional()
      .meta({
        description: `At most this many entries; ${DEFAULT_PAGE_ENTRIES} when absent.`,
      }),
    view: OutputView.optional(),
  })
  .meta({ description: "Which entries of one terminal to read." });
export type FindRecordingEntriesInput = z.infer<typeof FindRecordingEntriesInput>;

/** A page of a Recording, in order of sequence; it ends early rather than exceed `MAX_PAGE_BYTES`. */
export const TerminalRecordingEntryCollectionSchema = z
  .strictObject({
    entries: z.array(TerminalRecordingEntrySchema).max(MAX_PAGE_ENTRIES).meta({
      description:
        "The entries found, in order of sequence; together at most 1 MiB unless one alone is larger, so there may be fewer than `limit` and `truncated` tells.",
    }),
    truncated: z.boolean().meta({ description: "Whether more entries follow this page." }),
    nextAfter: AfterSequence.optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "A page of a recording.", ...PAGE_RULES });
/** A page of a Recording, in order of sequence. */
export type TerminalRecordingEntryCollection = z.infer<
  typeof TerminalRecordingEntryCollectionSchema
>;
