import { z } from "zod";
import { Timestamp } from "./ids.ts";

export const StorageInfo = z
  .strictObject({
    state: z.enum(["ok", "low", "full", "failing"]).meta({
      description:
        "`ok`; `low` when little space is left; `full` when recordings wait for space; `failing` when they cannot be written for another reason. With `full` and `failing` nothing new is recorded, and nobody is shown what programs write: they wait, or their output is lost where they have no keeper.",
    }),
    since: Timestamp.optional().meta({ description: "Since when; absent with `ok`." }),
    reason: z.string().optional().meta({ description: "Why, for people; absent with `ok`." }),
    suggestion: z.string().optional().meta({
      description: "What to do about it, for people; absent with `ok`.",
    }),
    freeBytes: z.int().min(0).optional().meta({
      description: "Free space on the disk when it was last looked at; absent in memory.",
    }),
    reserveBytes: z.int().min(0).optional().meta({
      description:
        "Space that recordings leave free, so that terminals can still be ended and recordings removed.",
    }),
    neededBytes: z.int().min(0).optional().meta({
      description: "How much has to be made free before recording goes on, with `full`.",
    }),
  })
  .meta({ description: "Whether the disk of the recordings takes what is to be recorded." });
export type StorageInfo = z.infer<typeof StorageInfo>;

export const RecordingBlocked = z
  .strictObject({
    reason: z.enum(["diskFull", "storeFailed"]).meta({
      description: "`diskFull` when there is no space, `storeFailed` for any other failure.",
    }),
    message: z.string().meta({ description: "What is wrong, for people." }),
    suggestion: z.string().meta({ description: "What to do about it, for people." }),
    since: Timestamp.meta({ description: "Since when nothing can be recorded." }),
  })
  .meta({
    description:
      "That the terminal cannot be recorded now: what its program writes is shown once it can.",
  });
export type RecordingBlocked = z.infer<typeof RecordingBlocked>;
