// Reading output by position, and excerpts of long output.
import { z } from "zod";
import { Encoding } from "./bytes.ts";
import { SignalName } from "./command.ts";
import { AfterSequence, Offset, TerminalId } from "./ids.ts";
import { OutputView } from "./recording-page.ts";
import { Size } from "./size.ts";
import { RecordingBlocked } from "./storage.ts";

/** A position in the output: after an entry, plus a number of bytes into the next. */
export const OutputPosition = z
  .strictObject({
    after: AfterSequence.meta({ description: "The last entry that was read to its end." }),
    offset: Offset.optional().meta({
      description:
        "Raw bytes below this offset were read already, where an entry was read in part.",
    }),
  })
  .meta({ description: "Where a reader of the output is." });
export type OutputPosition = z.infer<typeof OutputPosition>;

export const DEFAULT_OUTPUT_BYTES = 65_536;

/** Both sides hold a page in memory; read on for more. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Proxies between client and host cut longer requests. */
export const MAX_WAIT_MS = 10 * 60 * 1000;

const waitMs = (description: string) => z.int().min(0).max(MAX_WAIT_MS).meta({ description });

const PageView = z.enum([...OutputView.options, "text"]).meta({
  description:
    "How output is shown: `stripped` without the markers of shell integration (when absent), `text` as a person reads it at the end of the page, or `raw` as the program wrote it, which needs the scope `operator`.",
});

export const ReadOutputInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose output to read." }),
    position: OutputPosition.optional().meta({
      description: "Where to go on, from an earlier answer; from the beginning when absent.",
    }),
    maxBytes: z
      .int()
      .min(1)
      .max(MAX_OUTPUT_BYTES)
      .optional()
      .meta({ description: `At most this many bytes; ${DEFAULT_OUTPUT_BYTES} when absent.` }),
    waitMs: waitMs(
      "How long to wait for the first byte when there is none; 0 when absent.",
    ).optional(),
    view: PageView.optional(),
  })
  .meta({ description: "What output to read." });
export type ReadOutputInput = z.infer<typeof ReadOutputInput>;

const screenSize = Size.optional().meta({
  description:
    "The size of the terminal, which decides where its lines run over; absent when unknown.",
});

/** Reading the same position again returns the same bytes. */
export const OutputPage = z
  .strictObject({
    data: z.string().meta({ description: "The output: the text, or base64 where it is none." }),
    encoding: Encoding.optional(),
    position: OutputPosition.meta({ description: "Where to go on." }),
    size: screenSize,
    missed: z.literal(true).optional().meta({
      description: "Present when output before this is no longer kept, or never could be.",
    }),
    ended: z.boolean().meta({
      description: "Whether the program ended and there is nothing more to read.",
    }),
    exitCode: z.int().nullable().optional().meta({
      description: "Exit code once ended; null after a signal or when unknown.",
    }),
    signal: SignalName.optional().meta({ description: "The signal that ended the program." }),
    recordingBlocked: RecordingBlocked.optional().meta({
      description:
        "Present while the terminal cannot be recorded: there is more, to be read later.",
    }),
  })
  .meta({ description: "Output from a position on." });
export type OutputPage = z.infer<typeof OutputPage>;

/** Default: enough for the beginning and the end that matter. */
export const DEFAULT_EXCERPT_BYTES = 30_000;

/** An output, whole or as head and tail, with its total size and where to read the rest. */
export const OutputExcerpt = z
  .strictObject({
    text: z.string().meta({
      description:
        "The output without markers; where it is too long its beginning and its end, with a line in brackets between them.",
    }),
    truncated: z.boolean().meta({ description: "Whether the middle is left out." }),
    totalBytes: z.int().min(0).meta({ description: "How many bytes there were in all." }),
    totalLines: z.int().min(0).meta({ description: "How many line feeds there were in all." }),
    omittedBytes: z.int().min(0).meta({ description: "How many bytes are left out." }),
    position: OutputPosition.meta({
      description: "Where the output begins: `readOutput` from here gives all of it.",
    }),
    size: screenSize,
  })
  .meta({ description: "An output with a bounded size, and where to read the rest." });
export type OutputExcerpt = z.infer<typeof OutputExcerpt>;

export const ExcerptView = z.enum(["stripped", "text"]).meta({
  description:
    "How output is shown: `stripped` without the markers of shell integration (when absent), or `text` as a person reads it at the end, without sequences and with what was overwritten left out.",
});

export const excerptBytes = z
  .int()
  .min(256)
  .max(MAX_OUTPUT_BYTES)
  .optional()
  .meta({ description: `Show at most this many bytes; ${DEFAULT_EXCERPT_BYTES} when absent.` });

export const timeoutMs = (defaultMs: number) =>
  waitMs(`Deadline in milliseconds; ${defaultMs} when absent.`).optional();
