import { z } from "zod";
import { hasMoreBytesThan, problemWithData } from "./bytes.ts";
import { checkEnding, NULLABLE_ENDING_RULES, OPTIONAL_ENDING_RULES } from "./command.ts";
import * as fields from "./entry-fields.ts";
import { RecordingEntryId, Sequence, TerminalId, Timestamp } from "./ids.ts";
import { refuse, type Report } from "./json-object.ts";

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

interface DataFields {
  readonly data?: string | undefined;
  readonly encoding?: "base64" | undefined;
}

function checkData({ data, encoding }: DataFields, report: Report): void {
  if (data === undefined) return;
  if (hasMoreBytesThan({ data, encoding }, fields.MAX_ENTRY_BYTES)) {
    refuse(report, "data", `\`data\` may have at most ${fields.MAX_ENTRY_BYTES} bytes`);
    return;
  }
  const problem = problemWithData({ data, encoding });
  if (problem !== undefined) refuse(report, "data", problem);
}

interface RedactableFields extends DataFields {
  readonly redacted?: true | undefined;
}

function checkRedaction({ data, encoding, redacted }: RedactableFields, report: Report): void {
  checkData({ data, encoding }, report);
  if (redacted === undefined) {
    if (data === undefined) refuse(report, "data", "`data` is required unless redacted");
    return;
  }
  if (data !== undefined) refuse(report, "data", "a redacted entry has no `data`");
  if (encoding !== undefined) refuse(report, "encoding", "`encoding` needs `data`");
}

interface InputFields extends RedactableFields {
  readonly lengthBucket?: string | undefined;
}

function checkInput(input: InputFields, report: Report): void {
  checkRedaction(input, report);
  if (input.redacted === undefined && input.lengthBucket !== undefined) {
    refuse(report, "lengthBucket", "`lengthBucket` is only for redacted input");
  }
  if (input.redacted !== undefined && input.lengthBucket === undefined) {
    refuse(report, "lengthBucket", "redacted input needs `lengthBucket`");
  }
}

interface OutputFields extends RedactableFields {
  readonly lengthBytes?: number | undefined;
}

function checkOutput(output: OutputFields, report: Report): void {
  checkRedaction(output, report);
  if (output.redacted === undefined && output.lengthBytes !== undefined) {
    refuse(report, "lengthBytes", "`lengthBytes` is only for redacted output");
  }
}

const DATA_OR_REDACTED = [{ required: ["data"] }, { required: ["redacted"] }];

/** `checkInput` as JSON Schema, as far as it concerns which fields are present. */
const INPUT_RULES = {
  oneOf: DATA_OR_REDACTED,
  dependentRequired: {
    encoding: ["data"],
    redacted: ["lengthBucket"],
    lengthBucket: ["redacted"],
  },
};

/** `checkOutput` as JSON Schema, as far as it concerns which fields are present. */
const OUTPUT_RULES = {
  oneOf: DATA_OR_REDACTED,
  dependentRequired: { encoding: ["data"], lengthBytes: ["redacted"] },
};

/**
 * One recorded fact at its sequence. A recording opens with a header and the claim of epoch 1; entries are only
 * appended.
 */
export const TerminalRecordingEntrySchema = z
  .discriminatedUnion("type", [
    entry(fields.headerFields),
    entry(fields.inputFields).superRefine(checkInput).meta(INPUT_RULES),
    entry(fields.outputFields).superRefine(checkOutput).meta(OUTPUT_RULES),
    entry(fields.resizeFields),
    entry(fields.exitFields).superRefine(checkEnding).meta(NULLABLE_ENDING_RULES),
    entry(fields.commandFields),
    entry(fields.commandEndFields).superRefine(checkEnding).meta(OPTIONAL_ENDING_RULES),
    entry(fields.claimFields),
    entry(fields.titleFields),
    entry(fields.cwdFields),
    entry(fields.clearFields),
    entry(fields.markerFields),
    entry(fields.gapFields),
  ])
  .meta({ description: "One recorded fact of one terminal; appended, never changed." });
export type TerminalRecordingEntry = z.infer<typeof TerminalRecordingEntrySchema>;

/** An entry before appending assigns `id` and `sequence`. */
export const TerminalRecordingEntryInputSchema = z
  .discriminatedUnion("type", [
    fact(fields.headerFields),
    fact(fields.inputFields).superRefine(checkInput).meta(INPUT_RULES),
    fact(fields.outputFields).superRefine(checkOutput).meta(OUTPUT_RULES),
    fact(fields.resizeFields),
    fact(fields.exitFields).superRefine(checkEnding).meta(NULLABLE_ENDING_RULES),
    fact(fields.commandFields),
    fact(fields.commandEndFields).superRefine(checkEnding).meta(OPTIONAL_ENDING_RULES),
    fact(fields.claimFields),
    fact(fields.titleFields),
    fact(fields.cwdFields),
    fact(fields.clearFields),
    fact(fields.markerFields),
    fact(fields.gapFields),
  ])
  .meta({ description: "A fact to append to a recording; `id` and `sequence` are given to it." });
export type TerminalRecordingEntryInput = z.infer<typeof TerminalRecordingEntryInputSchema>;

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

export const EntryTypes = z
  .array(EntryType)
  .min(1)
  .max(EntryType.options.length)
  .meta({ description: "Only entries of these types." });
export type EntryTypes = z.infer<typeof EntryTypes>;

export type EntryOf<Type extends EntryType> = Extract<TerminalRecordingEntry, { type: Type }>;
