import { z } from "zod";
import { absolutePath, labelText, systemText } from "./bounded-text.ts";
import { byteCountOf, Encoding, problemWithData } from "./bytes.ts";
import { SignalName } from "./command.ts";
import type { ErrorCode } from "./error.ts";
import { TerminalId } from "./ids.ts";
import { TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { Sequence } from "./sequence.ts";
import { Columns, Rows, Size } from "./size.ts";
import { Timestamp } from "./timestamp.ts";

/** One input message waits in memory until the program reads it; larger pastes are sent in pieces. */
export const MAX_INPUT_BYTES = 1024 * 1024;

const sendInputFields = {
  data: z.string().optional().meta({
    description: "What to type: text, or base64 of any bytes; at most 1 MiB once decoded.",
  }),
  encoding: Encoding.optional(),
  literal: z.boolean().optional().meta({
    description:
      "False asks to read `data` as key names such as `Enter` or `C-c`; otherwise it is typed as it is.",
  }),
  cols: Columns.optional().meta({
    description: "New number of columns; only together with `rows`.",
  }),
  rows: Rows.optional().meta({
    description: "New number of rows; only together with `cols`.",
  }),
};

interface SendInputFields {
  readonly data?: string | undefined;
  readonly encoding?: Encoding | undefined;
  readonly literal?: boolean | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
}

function dataProblem({
  data,
  encoding,
  literal,
}: SendInputFields): [ErrorCode, string] | undefined {
  if (data === undefined) return undefined;
  const byteCount = byteCountOf({ data, encoding });
  if (byteCount > MAX_INPUT_BYTES) {
    return ["payload_too_large", `has ${byteCount} bytes, at most ${MAX_INPUT_BYTES} fit`];
  }
  if (literal === false && encoding !== undefined) {
    return ["invalid_argument", "`literal: false` names keys in text, `data` must not be base64"];
  }
  const problem = problemWithData({ data, encoding });
  return problem === undefined ? undefined : ["invalid_argument", problem];
}

function checkSendInput(input: SendInputFields, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string, errorCode: ErrorCode = "invalid_argument") =>
    context.addIssue({ code: "custom", path: [field], message, params: { errorCode } });
  if (input.cols !== undefined && input.rows === undefined) refuse("rows", "`cols` needs `rows`");
  if (input.rows !== undefined && input.cols === undefined) refuse("cols", "`rows` needs `cols`");
  if (input.data === undefined && input.cols === undefined && input.rows === undefined) {
    refuse("data", "needs `data`, or both `cols` and `rows`");
  }
  if (input.encoding !== undefined && input.data === undefined) {
    refuse("data", "`encoding` needs `data`");
  }
  const problem = dataProblem(input);
  if (problem !== undefined) refuse("data", problem[1], problem[0]);
}

/** What `checkSendInput` demands of the presence of fields, in the words of JSON Schema. */
const SEND_INPUT_RULES = {
  anyOf: [{ required: ["data"] }, { required: ["cols", "rows"] }],
  dependentRequired: { cols: ["rows"], rows: ["cols"], encoding: ["data"] },
};

/** Input or a new Size for a Terminal named elsewhere: `data`, or both `cols` and `rows`, or all three. */
export const TerminalSendInputDataSchema = z
  .strictObject(sendInputFields)
  .superRefine(checkSendInput)
  .meta({ description: "Input or a new size for a terminal.", ...SEND_INPUT_RULES });
/** Input or a new Size for a Terminal named elsewhere. */
export type TerminalSendInputData = z.infer<typeof TerminalSendInputDataSchema>;

/** Input or a new Size for the Terminal with this id. */
export const TerminalSendInputSchema = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to drive." }),
    ...sendInputFields,
  })
  .superRefine(checkSendInput)
  .meta({ description: "Input or a new size for the terminal named.", ...SEND_INPUT_RULES });
/** Input or a new Size for the Terminal with this id. */
export type TerminalSendInput = z.infer<typeof TerminalSendInputSchema>;

/** Names are for people; longer ones fit in no list. */
const MAX_NAME_LENGTH = 256;

/** The row of a terminal stays narrow, whatever an owner attaches. */
const MAX_ATTRIBUTES_LENGTH = 16_384;

function isSmallJson(value: Record<string, unknown>): boolean {
  try {
    return JSON.stringify(value).length <= MAX_ATTRIBUTES_LENGTH;
  } catch {
    // Cycles and big integers have no JSON form, so they cannot be stored.
    return false;
  }
}

/** The entity that asked for a Terminal; any entity may, and its name is not checked against a list. */
export const TerminalOwnerReferenceSchema = z
  .strictObject({
    entityName: labelText({
      description: "Kind of the owner, such as `Task` or `Repository`; any name.",
      maxLength: MAX_NAME_LENGTH,
    }),
    entityId: labelText({
      description: "Identity of the owner among its kind.",
      maxLength: MAX_NAME_LENGTH,
    }),
    attributes: z
      .record(z.string().min(1).max(MAX_NAME_LENGTH), z.unknown())
      .refine(isSmallJson, `must be JSON of at most ${MAX_ATTRIBUTES_LENGTH} characters`)
      .optional()
      .meta({ description: "Whatever else the owner wants to keep with the terminal, as JSON." }),
  })
  .meta({ description: "The entity that asked for a terminal." });
/** The entity that asked for a Terminal. */
export type TerminalOwnerReference = z.infer<typeof TerminalOwnerReferenceSchema>;

/** Linux refuses a longer single argument. */
const MAX_ARGUMENT_LENGTH = 131_071;

/** Far above any command line made by hand; a list of files belongs into a file. */
const MAX_ARGUMENTS = 1024;

const launchFields = {
  name: labelText({
    description: "Label for people; never identity, need not be unique.",
    maxLength: MAX_NAME_LENGTH,
  }).optional(),
  command: systemText({
    description: "Program to run, a path or a name on the PATH; the default shell when absent.",
    maxLength: MAX_ARGUMENT_LENGTH,
  }).optional(),
  args: z
    .array(
      systemText({
        description: "One argument, handed over without a shell.",
        maxLength: MAX_ARGUMENT_LENGTH,
        minLength: 0,
      }),
    )
    .max(MAX_ARGUMENTS)
    .optional()
    .meta({ description: "Arguments of the program, each handed over without a shell." }),
};

/** How to launch the program of a Terminal, where the defaults do not fit. */
export const TerminalLaunchOptionsSchema = z
  .strictObject(launchFields)
  .meta({ description: "How to launch the program of a terminal." });
/** How to launch the program of a Terminal. */
export type TerminalLaunchOptions = z.infer<typeof TerminalLaunchOptionsSchema>;

const provenanceFields = {
  owner: TerminalOwnerReferenceSchema.meta({
    description: "The entity that asked for the terminal; not who drives it.",
  }),
  workingDirectory: absolutePath("Directory the program starts in; never changes afterwards."),
};

/** More variables than any program needs; the operating system limits their total. */
const MAX_VARIABLES = 256;

/** What to create a Terminal from; its id is made by the Host and cannot be chosen here. */
export const TerminalInputSchema = z
  .strictObject({
    ...provenanceFields,
    ...launchFields,
    size: Size.optional().meta({ description: "Size to start with; 80×24 when absent." }),
    env: z
      .record(
        z
          .string()
          .max(MAX_NAME_LENGTH)
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"),
        systemText({
          description: "Value of one variable.",
          maxLength: MAX_ARGUMENT_LENGTH,
          minLength: 0,
        }),
      )
      .refine(
        (env) => Object.keys(env).length <= MAX_VARIABLES,
        `at most ${MAX_VARIABLES} variables`,
      )
      .optional()
      .meta({ description: "Variables to add to the program's environment; never stored." }),
  })
  .meta({ description: "What to create a terminal from." });
/** What to create a Terminal from. */
export type TerminalInput = z.infer<typeof TerminalInputSchema>;

const storageFields = {
  id: TerminalId,
  ...provenanceFields,
  ...launchFields,
  createdAt: Timestamp.meta({ description: "When the terminal was created." }),
};

/** The row kept of a Terminal: who asked for it and how it was launched, nothing that changes. */
export const TerminalStorageSchema = z
  .strictObject(storageFields)
  .meta({ description: "The row kept of a terminal." });
/** The row kept of a Terminal. */
export type TerminalStorage = z.infer<typeof TerminalStorageSchema>;

/** A reading of a terminal carries only the newest entries, so that its cost does not grow with the recording. */
export const RECORDING_WINDOW_ENTRIES = 200;

/** How much Recording there is, so that a reader knows what a window leaves out. */
export const RecordingExtent = z
  .strictObject({
    firstSequence: Sequence.meta({
      description: "The oldest entry still kept; one more than `lastSequence` when none is.",
    }),
    lastSequence: Sequence.meta({ description: "The newest entry." }),
    total: z.int().min(0).meta({ description: "How many entries are kept." }),
  })
  .meta({ description: "How much recording there is." });
export type RecordingExtent = z.infer<typeof RecordingExtent>;

/** A Terminal as readers see it: its row, the newest Entries, and its live state. */
export const TerminalSchema = z
  .strictObject({
    ...storageFields,
    recordingEntries: z.array(TerminalRecordingEntrySchema).max(RECORDING_WINDOW_ENTRIES).meta({
      description: "The newest entries, in order of sequence; older ones are read by paging.",
    }),
    recording: RecordingExtent.meta({ description: "How much recording there is in all." }),
    terminalPaneId: z.string().min(1).max(MAX_NAME_LENGTH).meta({
      description: "Identity of the live pseudo-terminal inside the terminal.",
    }),
    connected: z.boolean().meta({
      description: "Whether a live pseudo-terminal stands behind the terminal.",
    }),
    dead: z.boolean().meta({ description: "Whether the program has ended." }),
    exitCode: z.int().nullable().meta({
      description: "Exit code of the program; null while it runs, after a signal or when unknown.",
    }),
    signal: SignalName.optional().meta({ description: "The signal that ended the program." }),
    cols: Columns.optional(),
    rows: Rows.optional(),
    screen: z.string().meta({
      description: "What the terminal shows, as text with escape sequences that restore it.",
    }),
    chunk: z.string().optional().meta({ description: "The newest output as text." }),
    truncated: z.boolean().optional().meta({
      description: "Whether `recordingEntries` leaves out older entries.",
    }),
  })
  .meta({ description: "A terminal: its row, its newest entries and its live state." });
/** A Terminal as readers see it. */
export type TerminalData = z.infer<typeof TerminalSchema>;

/** Names the Terminal to read. */
export const ReadTerminalInput = z
  .strictObject({ id: TerminalId.meta({ description: "The terminal to read." }) })
  .meta({ description: "Names the terminal to read." });
export type ReadTerminalInput = z.infer<typeof ReadTerminalInput>;
