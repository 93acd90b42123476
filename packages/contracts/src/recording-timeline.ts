import { z } from "zod";
import { TerminalId } from "./ids.ts";
import { AfterSequence, Sequence } from "./sequence.ts";
import { Timestamp } from "./timestamp.ts";

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
