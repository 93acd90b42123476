import { z } from "zod";
import { AfterSequence, Sequence, TerminalId, Timestamp } from "./ids.ts";
import { checkPage, PAGE_RULES } from "./page.ts";
import { EntryTypes, TerminalRecordingEntrySchema } from "./recording-entry.ts";

/** How many points a timeline has when nobody says: more than a slider on a small screen has places. */
export const DEFAULT_TIMELINE_POINTS = 200;

/** Each point is looked for by itself; more than this no screen can show. */
export const MAX_TIMELINE_POINTS = 1000;

/** Of which Recording to read the timeline. */
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

/** A moment since the beginning of a Recording, by a clock that never jumps. */
export const ElapsedMs = z
  .int()
  .min(0)
  .meta({ description: "Milliseconds since the recording began." });
export type ElapsedMs = z.infer<typeof ElapsedMs>;

/** A moment of a Recording and the Entry it had got to. */
export const TimelinePoint = z
  .strictObject({
    elapsedMs: ElapsedMs.meta({ description: "The moment, in milliseconds since the beginning." }),
    sequence: Sequence.meta({ description: "The newest entry at that moment." }),
  })
  .meta({ description: "A moment of a recording." });
export type TimelinePoint = z.infer<typeof TimelinePoint>;

/** When a Recording began, how long it is, and which Entry belongs to which moment. */
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
