import { z } from "zod";
import { AfterSequence, Sequence, TerminalId } from "./ids.ts";
import { refuse, type Report, when } from "./json-object.ts";

export const VerifyRecordingInput = z
  .strictObject({ id: TerminalId.meta({ description: "The terminal whose recording to prove." }) })
  .meta({ description: "Which recording to prove." });
export type VerifyRecordingInput = z.infer<typeof VerifyRecordingInput>;

interface VerdictFields {
  readonly ok: boolean;
  readonly firstBadSequence?: number | undefined;
  readonly reason?: string | undefined;
}

function checkVerdict({ ok, firstBadSequence, reason }: VerdictFields, report: Report): void {
  const isTold = firstBadSequence !== undefined && reason !== undefined;
  if (!ok && !isTold)
    refuse(report, "firstBadSequence", "a failed verification needs its position and reason");
  if (ok && (firstBadSequence !== undefined || reason !== undefined)) {
    refuse(report, "ok", "a successful verification has neither position nor reason");
  }
}

export const RecordingVerdict = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose recording was proven." }),
    ok: z.boolean().meta({ description: "Whether every entry is what was recorded." }),
    entries: z.int().min(0).meta({
      description: "How many entries were looked at and are right, from the first that is kept.",
    }),
    firstSequence: Sequence.meta({ description: "The first entry that is kept." }),
    lastSequence: AfterSequence.meta({
      description: "The last entry that is right; one less than `firstSequence` when none is.",
    }),
    sealed: z.boolean().meta({
      description:
        "Whether the recording was closed; of one that was not, entries dropped from the very end cannot be noticed.",
    }),
    firstBadSequence: Sequence.optional().meta({
      description:
        "The first entry that is not what was recorded, or is missing; only when not ok.",
    }),
    reason: z.string().min(1).optional().meta({
      description: "What is wrong there, in words; only when not ok.",
    }),
  })
  .superRefine(checkVerdict)
  .meta({
    description: "What proving a recording found.",
    ...when(
      { properties: { ok: { const: false } } },
      { required: ["firstBadSequence", "reason"] },
      { not: { anyOf: [{ required: ["firstBadSequence"] }, { required: ["reason"] }] } },
    ),
  });
export type RecordingVerdict = z.infer<typeof RecordingVerdict>;

/** Keeps the answer small on every wire; the totals count everything. */
export const MAX_REMOVALS_SHOWN = 1000;

const limit = (description: string, least = 0) =>
  z.int().min(least).optional().meta({ description });

export const PruneRecordingsInput = z
  .strictObject({
    maxAgeMs: limit(
      "Keep what is at most this old; an ended terminal goes as a whole, of others the oldest entries.",
    ),
    maxTerminalBytes: limit("Keep at most this much output and input of each recording."),
    maxTotalBytes: limit(
      "Keep at most this much of all recordings together; the oldest ended terminals go first.",
    ),
    keepLast: limit("Keep the recordings of so many ended terminals, those that ended last."),
    dryRun: z.boolean().optional().meta({
      description: "Whether only to say what would be removed.",
    }),
  })
  .refine(
    ({ maxAgeMs, maxTerminalBytes, maxTotalBytes, keepLast }) =>
      [maxAgeMs, maxTerminalBytes, maxTotalBytes, keepLast].some((limit) => limit !== undefined),
    { message: "needs at least one limit" },
  )
  .meta({
    description: "What to keep of all recordings.",
    anyOf: [
      { required: ["maxAgeMs"] },
      { required: ["maxTerminalBytes"] },
      { required: ["maxTotalBytes"] },
      { required: ["keepLast"] },
    ],
  });
export type PruneRecordingsInput = z.infer<typeof PruneRecordingsInput>;

export const RemovalReason = z.enum(["age", "terminalBytes", "totalBytes", "keepLast"]).meta({
  description: "The limit that it was beyond.",
});
export type RemovalReason = z.infer<typeof RemovalReason>;

const entryCount = (description: string) => z.int().min(0).meta({ description });

export const RecordingRemoval = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose recording lost something." }),
    reason: RemovalReason,
    whole: z.boolean().meta({
      description: "Whether the terminal is gone with its recording, or only its oldest entries.",
    }),
    throughSequence: Sequence.optional().meta({
      description: "The last entry that was removed; absent when there was none.",
    }),
    entries: entryCount("How many entries were removed."),
    bytes: entryCount("How many bytes of output and input those entries had."),
    problem: z.string().min(1).optional().meta({
      description: "Why it could not be removed; absent when it was.",
    }),
  })
  .meta({ description: "What was removed of one recording." });
export type RecordingRemoval = z.infer<typeof RecordingRemoval>;

export const PruneRecordingsResult = z
  .strictObject({
    dryRun: z.boolean().meta({ description: "Whether nothing was removed yet." }),
    recordings: entryCount("How many recordings lost something."),
    entries: entryCount("How many entries were removed from all of them."),
    bytes: entryCount("How many bytes of output and input those entries had."),
    removed: z.array(RecordingRemoval).max(MAX_REMOVALS_SHOWN).meta({
      description: "What was removed of each recording; the first of them when there are many.",
    }),
    truncated: z.boolean().meta({ description: "Whether more were removed than are shown." }),
  })
  .meta({ description: "What was removed, or would be." });
export type PruneRecordingsResult = z.infer<typeof PruneRecordingsResult>;
