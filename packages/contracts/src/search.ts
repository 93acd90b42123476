import { z } from "zod";
import { absolutePath, wellFormedText } from "./bounded-text.ts";
import { CommandLine } from "./command.ts";
import { CallerId, CommandId, RecordingEntryId, Sequence, TerminalId, Timestamp } from "./ids.ts";
import { checkPage, OwnerFilter, PAGE_RULES } from "./page.ts";
import { EntryType } from "./recording-entry.ts";

/** A longer text is more expensive to search for than it is useful. */
export const MAX_SEARCH_TEXT_LENGTH = 256;

/** Each word is one lookup. */
export const MAX_SEARCH_WORDS = 16;

/** A few pages for a reader; fetch more with `nextAfter`. */
export const MAX_SEARCH_HITS = 200;

export const DEFAULT_SEARCH_HITS = 20;

/** Naming more terminals one by one is a mistake; leave the filter out. */
const MAX_SEARCH_TERMINALS = 100;

/** Enough to see what happened around a hit; the recording has the rest. */
const MAX_CONTEXT_LINES = 20;

export const SearchMode = z.enum(["words", "substring", "regex"]).meta({
  description:
    "How the text is understood: all of its `words`, the `substring` as it is, or a `regex` in the syntax of JavaScript without look-arounds and back references.",
});
export type SearchMode = z.infer<typeof SearchMode>;

/** Must fit into a URL query. */
const MAX_POSITION_LENGTH = 512;

/** Where a search continues; opaque to callers. */
const SearchPosition = z.string().min(1).max(MAX_POSITION_LENGTH);

export const ExitFilter = z.union([z.enum(["success", "failure", "unknown"]), z.int()]).meta({
  description:
    "How the command ended: `success` is exit code 0, `failure` any other code or a signal, `unknown` neither known, or one exit code.",
});
export type ExitFilter = z.infer<typeof ExitFilter>;

const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

export const SearchQuery = z
  .strictObject({
    text: wellFormedText({ description: "What to look for.", maxLength: MAX_SEARCH_TEXT_LENGTH }),
    mode: SearchMode.optional().meta({
      description: "How the text is understood: `words` (when absent), `substring` or `regex`.",
    }),
    terminalIds: z.array(TerminalId).min(1).max(MAX_SEARCH_TERMINALS).optional().meta({
      description: "Only in these terminals.",
    }),
    types: z.array(EntryType).min(1).max(EntryType.options.length).optional().meta({
      description: "Only in entries of these types.",
    }),
    owner: OwnerFilter.optional().meta({ description: "Only in terminals of this owner." }),
    caller: CallerId.optional().meta({ description: "Only what this caller did or sent." }),
    command: wellFormedText({
      description: "Only in commands whose line contains this.",
      maxLength: MAX_SEARCH_TEXT_LENGTH,
    }).optional(),
    cwd: absolutePath("Only in commands run in this directory or below.").optional(),
    exit: ExitFilter.optional().meta({ description: "Only in commands that ended so." }),
    since: Timestamp.optional().meta({ description: "Only what happened at this time or later." }),
    until: Timestamp.optional().meta({ description: "Only what happened before this time." }),
    limit: z
      .int()
      .min(1)
      .max(MAX_SEARCH_HITS)
      .optional()
      .meta({
        description: `At most this many hits; ${DEFAULT_SEARCH_HITS} when absent.`,
      }),
    after: SearchPosition.optional().meta({
      description: "The `nextAfter` of the answer before, to go on from there.",
    }),
    context: z.int().min(0).max(MAX_CONTEXT_LINES).optional().meta({
      description: "How many lines to show before and after each hit; none when absent.",
    }),
  })
  .refine(({ text, mode }) => (mode ?? "words") !== "words" || wordCount(text) > 0, {
    path: ["text"],
    message: "`text` must have a word",
  })
  .refine(
    ({ text, mode }) => (mode ?? "words") !== "words" || wordCount(text) <= MAX_SEARCH_WORDS,
    {
      path: ["text"],
      message: `\`text\` may have at most ${MAX_SEARCH_WORDS} words`,
    },
  )
  .refine(
    ({ since, until }) =>
      since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
    { path: ["since"], message: "`since` must not be after `until`" },
  )
  .meta({ description: "What to look for in recordings." });
export type SearchQuery = z.infer<typeof SearchQuery>;

const HitRange = z.strictObject({
  start: z.int().min(0).meta({ description: "First UTF-16 unit of the match." }),
  end: z.int().min(0).meta({ description: "First UTF-16 unit after the match." }),
});

const HitCommand = z.strictObject({
  commandId: CommandId,
  commandLine: CommandLine,
  cwd: absolutePath("Working directory of the command; absent when unknown.").optional(),
  exitCode: z.int().optional().meta({ description: "Exit code; absent when unknown." }),
});

const contextLines = (description: string) =>
  z.array(z.string()).max(MAX_CONTEXT_LINES).optional().meta({ description });

export const SearchHit = z
  .strictObject({
    terminalId: TerminalId.meta({ description: "The terminal the hit is in." }),
    entryId: RecordingEntryId.meta({ description: "The entry the hit begins in." }),
    sequence: Sequence.meta({ description: "Position of that entry in its recording." }),
    type: EntryType,
    occurredAt: Timestamp.meta({ description: "When that entry happened." }),
    line: z.string().meta({ description: "The line with the match, without escape sequences." }),
    matches: z.array(HitRange).meta({ description: "Where in `line` the text was found." }),
    linesBefore: contextLines("The lines before, when asked for."),
    linesAfter: contextLines("The lines after, when asked for."),
    command: HitCommand.optional().meta({
      description: "The command that wrote it; absent outside any known command.",
    }),
  })
  .meta({ description: "One place where the text was found." });
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResult = z
  .strictObject({
    hits: z.array(SearchHit).max(MAX_SEARCH_HITS).meta({ description: "The hits, newest first." }),
    truncated: z.boolean().meta({ description: "Whether there are or may be more hits." }),
    behind: z.literal(true).optional().meta({
      description:
        "Present when what was written last may not be found yet: the index did not catch up within a second. Search again in a moment.",
    }),
    nextAfter: SearchPosition.optional().meta({
      description: "What to send as `after` for more hits; present exactly when truncated.",
    }),
    indexing: z.literal(true).optional().meta({
      description:
        "Present while the search index is being rebuilt: what is not found may be there, ask again in a moment.",
    }),
  })
  .superRefine(checkPage)
  .meta({ description: "What a search found.", ...PAGE_RULES });
export type SearchResult = z.infer<typeof SearchResult>;
