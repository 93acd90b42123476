// Requests that name a terminal and little else.
import { z } from "zod";
import { hasMoreBytesThan, problemWithData } from "./bytes.ts";
import { ClaimEpoch } from "./claim.ts";
import { Sequence, TerminalId } from "./ids.ts";
import { MarkerLabel, TerminalTitle } from "./launch-fields.ts";
import { ElapsedMs } from "./recording-page.ts";
import { ScreenFormat } from "./screen.ts";
import { MAX_INPUT_BYTES } from "./send-input.ts";
import { Columns, Rows } from "./size.ts";
import { forceField } from "./terminal-ending.ts";

const id = (description: string) => TerminalId.meta({ description });

export const RenameTerminalInput = z
  .strictObject({ id: id("The terminal to rename."), title: TerminalTitle })
  .meta({ description: "A new title for a terminal." });
export type RenameTerminalInput = z.infer<typeof RenameTerminalInput>;

export const DisposeTerminalInput = z
  .strictObject({ id: id("The terminal to end."), force: forceField })
  .meta({ description: "Names the terminal to end and take off the list." });
export type DisposeTerminalInput = z.infer<typeof DisposeTerminalInput>;

export const DisposeTerminalResult = z
  .strictObject({ id: id("The terminal that was ended.") })
  .meta({ description: "Names the terminal that was ended." });
export type DisposeTerminalResult = z.infer<typeof DisposeTerminalResult>;

export const ClearTerminalInput = z
  .strictObject({ id: id("The terminal to clear.") })
  .meta({ description: "Names the terminal to clear." });
export type ClearTerminalInput = z.infer<typeof ClearTerminalInput>;

export const PasteTextInput = z
  .strictObject({
    id: id("The terminal to paste into."),
    text: z
      .string()
      .superRefine((text, context) => {
        const isTooLarge = hasMoreBytesThan({ data: text }, MAX_INPUT_BYTES);
        const message = isTooLarge
          ? `has too many bytes, at most ${MAX_INPUT_BYTES} fit`
          : problemWithData({ data: text });
        if (message === undefined) return;
        const params = { errorCode: isTooLarge ? "payload_too_large" : "invalid_argument" };
        context.addIssue({ code: "custom", message, params });
      })
      .meta({ description: "The text, at most 1 MiB in UTF-8.", maxLength: MAX_INPUT_BYTES }),
    epoch: ClaimEpoch.optional().meta({
      description:
        "The epoch of the claim the caller believes to hold; refused with `conflict` when older than the claim's.",
    }),
  })
  .meta({ description: "Text to paste into a terminal." });
export type PasteTextInput = z.infer<typeof PasteTextInput>;

export const ResizeTerminalInput = z
  .strictObject({ id: id("The terminal to resize."), cols: Columns, rows: Rows })
  .meta({ description: "A size for a terminal." });
export type ResizeTerminalInput = z.infer<typeof ResizeTerminalInput>;

export const MarkRecordingInput = z
  .strictObject({ id: id("The terminal whose recording to mark."), label: MarkerLabel })
  .meta({ description: "A name for this point of a recording." });
export type MarkRecordingInput = z.infer<typeof MarkRecordingInput>;

export const MarkRecordingResult = z
  .strictObject({ sequence: Sequence.meta({ description: "The entry that has the name." }) })
  .meta({ description: "Where the mark is." });
export type MarkRecordingResult = z.infer<typeof MarkRecordingResult>;

export const ReadScreenInput = z
  .strictObject({
    id: id("The terminal whose screen to read."),
    format: ScreenFormat.optional().meta({
      description:
        "How the screen is written down: `text` (when absent), `ansi`, `cells`, `html` or `svg`.",
    }),
    at: Sequence.optional().meta({
      description: "As of which entry; the newest when absent.",
    }),
    atElapsedMs: ElapsedMs.optional().meta({
      description: "As of which moment, in milliseconds since the recording began; not with `at`.",
    }),
  })
  .refine(({ at, atElapsedMs }) => at === undefined || atElapsedMs === undefined, {
    path: ["atElapsedMs"],
    message: "`atElapsedMs` excludes `at`",
  })
  .meta({
    description: "Which screen of a terminal to read.",
    not: { required: ["at", "atElapsedMs"] },
  });
export type ReadScreenInput = z.infer<typeof ReadScreenInput>;
