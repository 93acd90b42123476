import { z } from "zod";
import { AfterSequence, Sequence, TerminalId, Timestamp } from "./ids.ts";
import { checkPage, PAGE_RULES } from "./page.ts";
import { EntryTypes, TerminalRecordingEntrySchema } from "./recording-entry.ts";

/** Default: more than a slider on a small screen has pixels for. */
export const DEFAULT_TIMELINE_POINTS = 200;

/** Each point is one lookup; no screen shows more. */
export const MAX_TIMELINE_POINTS = 1000;

export const ReadTimelineInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose timeline to read." }),
    points: z
      .int()
      .min(2)
      .max(MAX_TIMELINE_POINTS)
      .optional()
      .meta({
        description: `How many points in time to name; ${DEFAULT_TIMELINE_POINTS} when absent.`,
      }),
  })
  .meta({ description: "Of which recording to read the timeline." });
export type ReadTimelineInput = z.infer<typeof ReadTimelineInput>;

/** Time since the beginning of a recording, on the monotonic clock. */
export const ElapsedMs = z
  .int()
  .min(0)
  .meta({ description: "Milliseconds since the recording began." });
export type ElapsedMs = z.infer<typeof ElapsedMs>;

export const TimelinePoint = z
  .strictObject({
    elapsedMs: ElapsedMs.meta({ description: "The moment, in milliseconds since the beginning." }),
    sequence: Sequence.meta({ description: "The newest entry at that moment." }),
  })
  .meta({ description: "A moment of a recording." });
export type TimelinePoint = z.infer<typeof TimelinePoint>;

export const RecordingTimeline = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that is recorded." }),
    startedAt: Timestamp.meta({ description: "When the recording began." }),
    durationMs: ElapsedMs.meta({
      description: "Milliseconds from the beginning to the newest entry.",
    }),
    firstSequence: Sequence.meta({ description: "The first entry that is kept." }),
    lastSequence: AfterSequence.meta({
      description: "The newest entry; one less than `firstSequence` when there is none.",
    }),
    sealed: z.boolean().meta({ description: "Whether the recording is closed: nothing follows." }),
    points: z.array(TimelinePoint).max(MAX_TIMELINE_POINTS).meta({
      description:
        "Moments at even distances from the first entry that is kept to the newest; empty when there is none.",
    }),
  })
  .meta({ description: "When a recording began, how long it is, and what was when." });
export type RecordingTimeline = z.infer<typeof RecordingTimeline>;

/** Offsets count raw output in both views. */
export const OutputView = z.enum(["stripped", "raw"]).meta({
  description:
    "How output is shown: `stripped` without the markers of shell integration (when absent), or `raw` as the program wrote it, which needs the scope `operator`; `offset` counts raw bytes in either, so continuity is judged by `sequence`.",
});
export type OutputView = z.infer<typeof OutputView>;

export const DEFAULT_PAGE_ENTRIES = 200;

/** Both sides hold a page in memory; fetch the next for more. */
export const MAX_PAGE_ENTRIES = 1000;

/** A page of large entries ends early: serialising it blocks the event loop, and typing waits for that. */
export const MAX_PAGE_BYTES = 1024 * 1024;

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

/** Entries in order of sequence; ends early rather than exceed `MAX_PAGE_BYTES`. */
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
export type TerminalRecordingEntryCollection = z.infer<
  typeof TerminalRecordingEntryCollectionSchema
>;
