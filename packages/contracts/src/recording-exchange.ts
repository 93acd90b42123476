import { z } from "zod";
import { CreateTerminalInput } from "./create-terminal.ts";
import { Sequence, TerminalId } from "./ids.ts";
import { refuse } from "./json-object.ts";
import { OwnerFilter } from "./page.ts";
import { OutputView } from "./recording-page.ts";

export const ExportFormat = z
  .enum(["asciicast3", "asciicast2", "text", "html", "jsonLines", "raw"])
  .meta({
    description:
      "What to write: a cast for players (`asciicast3`, or `asciicast2` for older ones), the lines a person saw as `text` or as an `html` document, every entry as one line of JSON (`jsonLines`), or the bytes of the output (`raw`).",
  });
export type ExportFormat = z.infer<typeof ExportFormat>;

/** A day; a longer pause needs no bound. */
const MAX_IDLE_SECONDS = 86_400;

export const ExportRecordingInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose recording to export." }),
    format: ExportFormat.optional().meta({
      description:
        "What to write: `asciicast3` (when absent), `asciicast2`, `text`, `html`, `jsonLines` or `raw`.",
    }),
    input: z.boolean().optional().meta({
      description:
        "Whether a cast has what was typed, too; what was withheld as a secret is in no form. Lines of JSON always have it.",
    }),
    idleTimeLimit: z.number().positive().max(MAX_IDLE_SECONDS).optional().meta({
      description:
        "Seconds that a player of the cast waits at most while nothing happens; the times in it stay.",
    }),
    fromSequence: Sequence.optional().meta({
      description: "The first entry to export; the first of the recording when absent.",
    }),
    toSequence: Sequence.optional().meta({
      description: "The last entry to export; the newest when absent.",
    }),
    view: OutputView.optional(),
  })
  .superRefine(({ fromSequence = 1, toSequence }, report) => {
    if (toSequence !== undefined && toSequence < fromSequence) {
      refuse(report, "toSequence", "must not be less than `fromSequence`");
    }
  })
  .meta({ description: "Which recording to export, and how." });
export type ExportRecordingInput = z.infer<typeof ExportRecordingInput>;

/** The upload is kept on disk until it is complete. */
export const MAX_IMPORT_BYTES = 1024 * 1024 * 1024;

export const CAST_MEDIA_TYPE = "application/x-asciicast";

export const ImportRecordingInput = z
  .strictObject({
    owner: z
      .strictObject({
        entityName: OwnerFilter.shape.entityName,
        entityId: OwnerFilter.shape.entityName.meta({ description: "Identity of the owner." }),
      })
      .optional()
      .meta({ description: "Whose the terminal is to be; the caller's own when absent." }),
    workingDirectory: CreateTerminalInput.shape.workingDirectory.meta({
      description:
        "Where the program is said to have run, an absolute path; when absent the first root of the caller, or the home directory.",
    }),
  })
  .meta({ description: "Whom an imported terminal belongs to." });
export type ImportRecordingInput = z.infer<typeof ImportRecordingInput>;

export const ImportRecordingResult = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that was made of it, which has ended." }),
    entries: z.int().min(1).meta({ description: "How many entries its recording has." }),
  })
  .meta({ description: "The ended terminal that a cast became." });
export type ImportRecordingResult = z.infer<typeof ImportRecordingResult>;
