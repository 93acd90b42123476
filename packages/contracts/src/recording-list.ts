import { z } from "zod";
import { TerminalId } from "./ids.ts";
import { checkPage, OwnerFilter, PAGE_RULES } from "./page.ts";
import { forceField } from "./terminal-ending.ts";
import { listLimit, MAX_LIST_LENGTH } from "./terminal-list.ts";
import { TerminalStorageSchema } from "./terminal.ts";

export const ListRecordingsInput = z
  .strictObject({
    owner: OwnerFilter.optional().meta({ description: "Only of terminals of this owner." }),
    newestFirst: z.boolean().optional().meta({
      description: "Whether the newest come first; the oldest do when absent.",
    }),
    after: TerminalId.optional().meta({
      description: "The `nextAfter` of the page before, to go on from there in the same order.",
    }),
    limit: listLimit,
  })
  .meta({ description: "Which recordings to list." });
export type ListRecordingsInput = z.infer<typeof ListRecordingsInput>;

export const RecordingList = z
  .strictObject({
    recordings: z.array(TerminalStorageSchema).max(MAX_LIST_LENGTH).meta({
      description: "The rows of the terminals that are recorded, in the order asked for.",
    }),
    truncated: z.boolean().meta({ description: "Whether more recordings follow this page." }),
    nextAfter: TerminalId.optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "A page of recordings.", ...PAGE_RULES });
export type RecordingList = z.infer<typeof RecordingList>;

export const DeleteRecordingInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to remove with its recording." }),
    purge: z.boolean().optional().meta({
      description:
        "Whether nothing of it may be readable in the files afterwards; takes longer, and recordings wait meanwhile.",
    }),
    force: forceField,
  })
  .meta({ description: "Which recording to remove." });
export type DeleteRecordingInput = z.infer<typeof DeleteRecordingInput>;

export const DeleteRecordingResult = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that was removed." }),
    entries: z.int().min(0).meta({ description: "How many entries its recording had." }),
  })
  .meta({ description: "What was removed." });
export type DeleteRecordingResult = z.infer<typeof DeleteRecordingResult>;
