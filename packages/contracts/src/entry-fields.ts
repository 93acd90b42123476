// The fields of each entry type, beside those that all entries share.
import { z } from "zod";
import { absolutePath, titleText } from "./bounded-text.ts";
import { base64LengthOf, Encoding } from "./bytes.ts";
import { Claim, ClaimEpoch } from "./claim.ts";
import {
  CommandDurationMs,
  CommandEndedBy,
  CommandLine,
  commandLineTruncated,
  CommandQuality,
  SignalName,
} from "./command.ts";
import { CallerId, CommandId, Offset } from "./ids.ts";
import { LimitReached, MarkerLabel } from "./launch-fields.ts";
import { Columns, Rows } from "./size.ts";
import { ClaimNote, LostReason } from "./terminal-state.ts";

/** Many entries are held in memory at once. Only input reaches this; output is merged to 128 KiB at most. */
export const MAX_ENTRY_BYTES = 1024 * 1024;

const entryData = (description: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `${description} At most 1 MiB once decoded.`,
      maxLength: base64LengthOf(MAX_ENTRY_BYTES),
    });

/** Coarse length of a redacted input, so that the recording does not reveal the length of a secret. */
export const LengthBucket = z.enum(["0", "1-8", "9-32", "33-128", "129+"]).meta({
  description: "How many bytes the redacted input had, as a range.",
});
export type LengthBucket = z.infer<typeof LengthBucket>;

export function lengthBucketOf(byteCount: number): LengthBucket {
  if (byteCount <= 0) return "0";
  if (byteCount <= 8) return "1-8";
  if (byteCount <= 32) return "9-32";
  return byteCount <= 128 ? "33-128" : "129+";
}

export const GapReason = z.enum(["diskFull", "storeFailed", "overflow", "restart"]).meta({
  description:
    "Why bytes are missing: `diskFull`, `storeFailed` for any other failure to write, `overflow` when a bounded queue was full, `restart` when the host was away.",
});
export type GapReason = z.infer<typeof GapReason>;

export const ClaimReason = z
  .enum(["created", "handover", "detach", "takeover", "reclaim", "vanished", "granted"])
  .meta({
    description:
      "Why the claim changed: `created` with the terminal, `handover` when its holder gave it away or back, `detach` when the turn or tool call was taken out of it and the agent goes on in the background, `takeover` when an operator took it, `reclaim` when an agent moved it inside its own session or a client took back what the host kept for it, `vanished` when its client was gone for too long, `granted` when somebody had asked for it and was given it.",
  });
export type ClaimReason = z.infer<typeof ClaimReason>;

const typed = <Type extends string>(type: Type, description: string) =>
  z.literal(type).meta({ description: `Always \`${type}\`: ${description}` });

const byCaller = (description: string) => CallerId.optional().meta({ description });

/** Opens a recording with the initial size; the claim of epoch 1 follows. */
export const headerFields = {
  type: typed("header", "the recording begins."),
  cols: Columns,
  rows: Rows,
  cwdFallback: z.literal(true).optional().meta({
    description: "Present when the program started in the home directory instead.",
  }),
};

/** The bytes sent, or only their length where they are withheld. */
export const inputFields = {
  type: typed("input", "somebody sent input."),
  by: byCaller(
    "The caller that sent the input; absent when the host itself did or the caller is unknown.",
  ),
  data: entryData("The bytes handed to the program; absent only when redacted."),
  encoding: Encoding.optional(),
  literal: z.boolean().optional().meta({
    description: "False when the caller named keys and `data` is what they stand for.",
  }),
  redacted: z.literal(true).optional().meta({
    description: "Present when the input was withheld, such as a typed password.",
  }),
  lengthBucket: LengthBucket.optional().meta({
    description: "How many bytes a redacted input had, as a range; absent otherwise.",
  }),
};

/** The bytes and their offset in the output, or that they were purged. */
export const outputFields = {
  type: typed("output", "the program wrote output."),
  data: entryData("The bytes the program wrote, in the view asked for; absent only when redacted."),
  encoding: Encoding.optional(),
  stream: z.literal("stderr").optional().meta({
    description: "Present when a program without a terminal wrote it to its standard error.",
  }),
  offset: Offset.meta({
    description:
      "Position of the first of these bytes in the raw output, from 0; always counts raw bytes, so continuity is judged by `sequence`.",
  }),
  redacted: z.literal(true).optional().meta({
    description: "Present when the bytes were purged from the recording.",
  }),
  lengthBytes: z.int().min(0).optional().meta({
    description: "How many raw bytes were purged, where kept; only with `redacted`.",
  }),
};

export const resizeFields = {
  type: typed("resize", "the terminal got another size."),
  cols: Columns,
  rows: Rows,
  by: byCaller("The caller that asked for the size; absent when the host chose it."),
};

export const exitFields = {
  type: typed("exit", "the program ended; no output follows unless `drained` is false."),
  exitCode: z.int().nullable().meta({
    description: "Exit code of the program; null after a signal and when nobody saw it end.",
  }),
  signal: SignalName.optional().meta({
    description: "The signal that ended the program; absent when it exited or nobody saw it end.",
  }),
  limitReached: LimitReached.optional(),
  drained: z.literal(false).optional().meta({
    description:
      "Present when another program kept the terminal open, so that more output may follow.",
  }),
  outputBytes: z.int().min(0).optional().meta({
    description: "How many raw bytes of output there were until then, where known.",
  }),
  lostReason: LostReason.optional().meta({
    description: "Present when nobody saw the program end: why.",
  }),
};

export const commandFields = {
  type: typed("command", "a command line began to run."),
  commandId: CommandId,
  commandLine: CommandLine,
  commandLineTruncated,
  cwd: absolutePath("Working directory of the command; absent when unknown.").optional(),
  quality: CommandQuality,
};

export const commandEndFields = {
  type: typed("commandEnd", "a command line ended."),
  commandId: CommandId,
  exitCode: z.int().optional().meta({
    description: "Exit code of the command; absent after a signal and when unknown.",
  }),
  signal: SignalName.optional().meta({
    description: "The signal that ended the command, where known.",
  }),
  durationMs: CommandDurationMs.optional().meta({
    description: "How long the command ran, in milliseconds; absent when unknown.",
  }),
  endedBy: CommandEndedBy,
};

/** Every recording has one of epoch 1 right after its header. */
export const claimFields = {
  type: typed("claim", "who drives the terminal from here on; the first follows the header."),
  claim: Claim.meta({ description: "Who drives the terminal from here on." }),
  epoch: ClaimEpoch,
  by: byCaller(
    "The caller that changed the claim; absent when the host itself did or the caller is unknown.",
  ),
  reason: ClaimReason.optional(),
  note: ClaimNote.optional().meta({
    description: "What was said along with the change; absent when nothing was.",
  }),
};

export const titleFields = {
  type: typed("title", "the terminal got another title."),
  title: titleText("The new title; empty when it was taken away."),
  by: byCaller("The caller that renamed the terminal; absent when its program set the title."),
};

export const cwdFields = {
  type: typed("cwd", "the shell changed its working directory."),
  cwd: absolutePath("The new working directory."),
  quality: CommandQuality,
};

/** Views start empty after this point. */
export const clearFields = {
  type: typed("clear", "views start empty from here on; the recording keeps everything."),
  by: byCaller("The caller that cleared the terminal; absent when the host did."),
};

export const markerFields = {
  type: typed("marker", "a point worth finding again."),
  label: MarkerLabel,
  by: byCaller("The caller that set the marker; absent when shell integration reported it."),
};

/** Output that could not be recorded. */
export const gapFields = {
  type: typed("gap", "bytes of the output are missing here."),
  lostBytes: z.int().min(0).nullable().meta({
    description: "How many bytes of the output are missing; null when unknown.",
  }),
  reason: GapReason,
};
