import { z } from "zod";
import { TerminalId } from "./ids.ts";
import { when } from "./json-rule.ts";
import { refuse, type Report } from "./refuse.ts";
import { AfterSequence, Sequence } from "./sequence.ts";

/** Which Recording to prove. */
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
  if (!ok && !isTold) refuse(report, "firstBadSequence", "what is wrong needs its place and why");
  if (ok && (firstBadSequence !== undefined || reason !== undefined)) {
    refuse(report, "ok", "nothing is wrong, so there is no place and no reason");
  }
}

/** What proving a Recording found. */
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
