import { z } from "zod";
import { absolutePath, cleanPath, titleText } from "./bounded-text.ts";
import { ClaimState } from "./claim.ts";
import {
  checkEnding,
  Command,
  CommandQuality,
  NULLABLE_ENDING_RULES,
  SignalName,
} from "./command.ts";
import { Sequence, TerminalId, Timestamp } from "./ids.ts";
import { refuse, type Report } from "./json-object.ts";
import { launchFields, LimitReached, LimitsInForce, MAX_NAME_LENGTH } from "./launch-fields.ts";
import { EntryTypes, TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { Columns, Rows } from "./size.ts";
import { RecordingBlocked } from "./storage.ts";
import { TerminalOwnerReferenceSchema } from "./terminal-input.ts";
import {
  ControlRequest,
  InputNeeded,
  InputPolicy,
  InputRequest,
  LapsedInputRequest,
  LostReason,
  TerminalState,
} from "./terminal-state.ts";

const storageFields = {
  id: TerminalId,
  owner: TerminalOwnerReferenceSchema.meta({
    description: "The entity that asked for the terminal; not who drives it.",
  }),
  workingDirectory: cleanPath("Directory the program starts in; never changes afterwards."),
  ...launchFields,
  createdAt: Timestamp.meta({ description: "When the terminal was created." }),
};

/** What is stored of a terminal: owner and launch, nothing that changes. */
export const TerminalStorageSchema = z
  .strictObject(storageFields)
  .meta({ description: "The row kept of a terminal." });
export type TerminalStorage = z.infer<typeof TerminalStorageSchema>;

/** A reading has only the newest entries: its cost does not grow with the recording. */
export const RECORDING_WINDOW_ENTRIES = 200;

/** Every listener receives a reading many times a second, so large entries must not make it large either. */
export const RECORDING_WINDOW_BYTES = 32 * 1024;

/** A serialised screen with scrollback and colours mostly has a few KiB; a larger one is sent as plain text rows. */
export const MAX_READ_SCREEN_LENGTH = 256 * 1024;

/** Tells a reader what the window leaves out. */
export const RecordingExtent = z
  .strictObject({
    firstSequence: Sequence.meta({
      description: "The oldest entry still kept; one more than `lastSequence` when none is.",
    }),
    lastSequence: Sequence.meta({ description: "The newest entry." }),
    total: z.int().min(0).meta({ description: "How many entries are kept." }),
    state: z.enum(["ok", "degraded"]).meta({
      description: "`ok`, or `degraded` while entries cannot be written as they should.",
    }),
  })
  .meta({ description: "How much recording there is, and whether it can be written." });
export type RecordingExtent = z.infer<typeof RecordingExtent>;

/** Nobody could answer more. */
export const MAX_CONTROL_REQUESTS = 16;

/** Nobody could answer more. */
export const MAX_INPUT_REQUESTS = 16;

interface SideFields {
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
}

function checkSides({ cols, rows }: SideFields, report: Report): void {
  if (cols !== undefined && rows === undefined) refuse(report, "rows", "`cols` needs `rows`");
  if (rows !== undefined && cols === undefined) refuse(report, "cols", "`rows` needs `cols`");
}

/** A terminal as readers see it: its row, the newest entries and the live state. */
export const TerminalSchema = z
  .strictObject({
    ...storageFields,
    claim: ClaimState.meta({
      description:
        "Who drives the terminal and since when; the first claim is recorded right after the header.",
    }),
    recordingEntries: z.array(TerminalRecordingEntrySchema).max(RECORDING_WINDOW_ENTRIES).meta({
      description:
        "The newest entries, in order of sequence, as many as have 32 KiB of data together; older ones, and larger ones, are read by paging.",
    }),
    recording: RecordingExtent.meta({ description: "How much recording there is in all." }),
    state: TerminalState,
    commandDetection: CommandQuality.meta({
      description:
        "How far commands of this terminal can be trusted: `exact`, `marker`, `estimated`, or `none` when they are not detected.",
    }),
    runningCommand: Command.optional().meta({ description: "The command that runs now." }),
    inputNeeded: InputNeeded.optional().meta({
      description: "Present while the program waits for somebody to type.",
    }),
    recordingBlocked: RecordingBlocked.optional().meta({
      description:
        "Present while something of the terminal cannot be recorded: nobody is shown what its program writes until it can.",
    }),
    inputPolicy: InputPolicy,
    controlRequests: z.array(ControlRequest).max(MAX_CONTROL_REQUESTS).optional().meta({
      description:
        "Who asks the holder for control, in the order of asking; absent when nobody does.",
    }),
    inputRequests: z.array(InputRequest).max(MAX_INPUT_REQUESTS).optional().meta({
      description: "What people are asked, in the order of asking; absent when nothing is asked.",
    }),
    lapsedRequests: z.array(LapsedInputRequest).max(MAX_INPUT_REQUESTS).optional().meta({
      description:
        "What people were asked and nobody answered in time, until somebody takes it off with `withdrawInput`; the newest where there are many, absent when there is nothing.",
    }),
    viewers: z.int().min(0).meta({ description: "How many subscriptions follow the terminal." }),
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
    lostReason: LostReason.optional().meta({
      description: "Why the terminal is `lost`, where that is known.",
    }),
    limitReached: LimitReached.optional(),
    limits: LimitsInForce.optional().meta({
      description:
        "What the programs are held to while they run; absent where nobody can tell, as after the end.",
    }),
    title: titleText("Title of the terminal; absent when nobody set one.").optional(),
    cwd: absolutePath(
      "Directory the shell is in now; absent when unknown. Where it started is `workingDirectory`.",
    ).optional(),
    cwdFallback: z.literal(true).optional().meta({
      description: "Present when the program started in the home directory instead.",
    }),
    cols: Columns.optional().meta({
      description: "Columns of the terminal; only together with `rows`.",
    }),
    rows: Rows.optional().meta({ description: "Rows of the terminal; only together with `cols`." }),
    screen: z.string().max(MAX_READ_SCREEN_LENGTH).meta({
      description:
        "What the terminal shows, as text with escape sequences that restore it; where that is more than 256 KiB, the visible rows as plain text, and empty where even these are more. `readScreen` has all of it.",
    }),
    chunk: z.string().optional().meta({
      description:
        "The newest output among `recordingEntries` as text for display, where bytes that are not UTF-8 are replaced.",
    }),
    truncated: z.boolean().optional().meta({
      description:
        "Whether `screen` or `recordingEntries` leaves out older data: entries before the first, lines that have left the scrollback, or what was too large.",
    }),
  })
  .superRefine(checkEnding)
  .superRefine(checkSides)
  .meta({
    description: "A terminal: its row, its newest entries and its live state.",
    dependentRequired: { cols: ["rows"], rows: ["cols"] },
    ...NULLABLE_ENDING_RULES,
  });
export type TerminalData = z.infer<typeof TerminalSchema>;

export const ReadTerminalInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to read." }),
    types: EntryTypes.optional().meta({
      description: "Only entries of these types in `recordingEntries`; all types when absent.",
    }),
  })
  .meta({ description: "Names the terminal to read." });
export type ReadTerminalInput = z.infer<typeof ReadTerminalInput>;
