import { z } from "zod";
import { problemWithData } from "./bytes.ts";
import * as fields from "./entry-fields.ts";
import { RecordingEntryId, TerminalId } from "./ids.ts";
import { AfterSequence, Sequence } from "./sequence.ts";
import { Timestamp } from "./timestamp.ts";

const sharedFields = {
  terminalId: TerminalId.meta({ description: "The terminal this is a fact of." }),
  occurredAt: Timestamp.meta({ description: "When it happened, by the clock on the wall." }),
  elapsedMs: z.int().min(0).meta({
    description:
      "Milliseconds since the header, by a clock that never jumps; never less than in the entry before.",
  }),
};

const identityFields = {
  id: RecordingEntryId,
  sequence: Sequence,
};

const fact = <Fields extends z.ZodRawShape>(own: Fields) =>
  z.strictObject({ ...sharedFields, ...own });

const entry = <Fields extends z.ZodRawShape>(own: Fields) =>
  z.strictObject({ ...identityFields, ...sharedFields, ...own });

interface Report {
  addIssue(issue: { code: "custom"; path: string[]; message: string }): void;
}

const refuse = (report: Report, field: string, message: string) =>
  report.addIssue({ code: "custom", path: [field], message });

interface DataFields {
  readonly data?: string | undefined;
  readonly encoding?: "base64" | undefined;
}

function checkData({ data, encoding }: DataFields, report: Report): void {
  if (data === undefined) return;
  const problem = problemWithData({ data, encoding });
  if (problem !== undefined) refuse(report, "data", problem);
}

interface RedactableFields extends DataFields {
  readonly redacted?: true | undefined;
  readonly lengthBucket?: string | undefined;
}

function checkInput(input: RedactableFields, report: Report): void {
  checkData(input, report);
  if (input.redacted === undefined) {
    if (input.data === undefined) refuse(report, "data", "`data` is needed unless redacted");
    if (input.lengthBucket !== undefined) {
      refuse(report, "lengthBucket", "`lengthBucket` is only for redacted input");
    }
    return;
  }
  if (input.data !== undefined) refuse(report, "data", "redacted input must not have `data`");
  if (input.encoding !== undefined) refuse(report, "encoding", "`encoding` needs `data`");
  if (input.lengthBucket === undefined) {
    refuse(report, "lengthBucket", "redacted input needs `lengthBucket`");
  }
}

/** What `checkInput` demands of the presence of fields, in the words of JSON Schema. */
const INPUT_RULES = {
  oneOf: [{ required: ["data"] }, { required: ["redacted"] }],
  dependentRequired: {
    encoding: ["data"],
    redacted: ["lengthBucket"],
    lengthBucket: ["redacted"],
  },
};

interface ExitFields {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
}

function checkExit({ exitCode, signal }: ExitFields, report: Report): void {
  if (signal !== undefined && exitCode !== null) {
    refuse(report, "exitCode", "a program ended by a signal has no exit code: expected null");
  }
}

/** One recorded fact of one Terminal, with its place in the Recording; appended, never changed. */
export const TerminalRecordingEntrySchema = z
  .discriminatedUnion("type", [
    entry(fields.headerFields),
    entry(fields.inputFields).superRefine(checkInput).meta(INPUT_RULES),
    entry(fields.outputFields).superRefine(checkData),
    entry(fields.resizeFields),
    entry(fields.exitFields).superRefine(checkExit),
    entry(fields.commandFields),
    entry(fields.commandEndFields),
    entry(fields.claimFields),
    entry(fields.titleFields),
    entry(fields.cwdFields),
    entry(fields.clearFields),
    entry(fields.markerFields),
    entry(fields.gapFields),
  ])
  .meta({ description: "One recorded fact of one terminal; appended, never changed." });
/** An entry, to be told apart by `type`. */
export type TerminalRecordingEntry = z.infer<typeof TerminalRecordingEntrySchema>;

/** A fact before it is appended: an entry without `id` and `sequence`, which appending gives it. */
export const TerminalRecordingEntryInputSchema = z
  .discriminatedUnion("type", [
    fact(fields.headerFields),
    fact(fields.inputFields).superRefine(checkInput).meta(INPUT_RULES),
    fact(fields.outputFields).superRefine(checkData),
    fact(fields.resizeFields),
    fact(fields.exitFields).superRefine(checkExit),
    fact(fields.commandFields),
    fact(fields.commandEndFields),
    fact(fields.claimFields),
    fact(fields.titleFields),
    fact(fields.cwdFields),
    fact(fields.clearFields),
    fact(fields.markerFields),
    fact(fields.gapFields),
  ])
  .meta({ description: "A fact to append to a recording; `id` and `sequence` are given to it." });
/** A fact before it is appended, to be told apart by `type`. */
export type TerminalRecordingEntryInput = z.infer<typeof TerminalRecordingEntryInputSchema>;

/** The kinds of fact a Recording holds, in one sequence. */
export const EntryType = z
  .enum([
    "header",
    "input",
    "output",
    "resize",
    "exit",
    "command",
    "commandEnd",
    "claim",
    "title",
    "cwd",
    "clear",
    "marker",
    "gap",
  ])
  .meta({ description: "Kind of fact that an entry records." });
export type EntryType = z.infer<typeof EntryType>;

/** The entry of one type. */
export type EntryOf<Type extends EntryType> = Extract<TerminalRecordingEntry, { type: Type }>;

/** How many entries a page has when nobody says. */
export const DEFAULT_PAGE_ENTRIES = 200;

/** One answer must fit in memory on both sides; more is fetched by paging. */
export const MAX_PAGE_ENTRIES = 1000;

/** Which Entries of one Terminal to read, in order of sequence. */
export const FindRecordingEntriesInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose recording to read." }),
    types: z
      .array(EntryType)
      .min(1)
      .max(EntryType.options.length)
      .optional()
      .meta({ description: "Only entries of these types; all types when absent." }),
    after: AfterSequence.optional().meta({
      description: "Only entries with a greater sequence; from the beginning when absent.",
    }),
    limit: z
      .int()
      .min(1)
      .max(MAX_PAGE_ENTRIES)
      .optional()
      .meta({
        description: `At most this many entries; ${DEFAULT_PAGE_ENTRIES} when absent.`,
      }),
  })
  .meta({ description: "Which entries of one terminal to read." });
export type FindRecordingEntriesInput = z.infer<typeof FindRecordingEntriesInput>;

/** A page of a Recording, in order of sequence. */
export const TerminalRecordingEntryCollectionSchema = z
  .strictObject({
    entries: z.array(TerminalRecordingEntrySchema).max(MAX_PAGE_ENTRIES).meta({
      description: "The entries found, in order of sequence.",
    }),
    truncated: z.boolean().meta({ description: "Whether more entries follow this page." }),
    nextAfter: AfterSequence.optional().meta({
      description: "What to send as `after` for the next page; present exactly when truncated.",
    }),
  })
  .meta({ description: "A page of a recording." });
/** A page of a Recording, in order of sequence. */
export type TerminalRecordingEntryCollection = z.infer<
  typeof TerminalRecordingEntryCollectionSchema
>;
