import { z } from "zod";
import { absolutePath, wellFormedText } from "./bounded-text.ts";
import { CommandId, Sequence, TerminalId, Timestamp } from "./ids.ts";
import { refuse, type Report, when } from "./json-object.ts";

interface Ending {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | undefined;
}

/** A process that a signal ended has no exit code, and vice versa. */
export function checkEnding({ exitCode, signal }: Ending, report: Report): void {
  if (signal !== undefined && typeof exitCode === "number") {
    refuse(report, "exitCode", "a process that a signal ended has no exit code");
  }
}

/** `checkEnding` as JSON Schema, where `exitCode` is required and may be null. */
export const NULLABLE_ENDING_RULES = when(
  { required: ["signal"] },
  { properties: { exitCode: { type: "null" } } },
);

/** `checkEnding` as JSON Schema, where `exitCode` is optional. */
export const OPTIONAL_ENDING_RULES = { not: { required: ["exitCode", "signal"] } };

export const CommandQuality = z.enum(["exact", "marker", "estimated", "none"]).meta({
  description:
    "How far to trust this: `exact` from our own verified markers, `marker` from markers of others that anyone could print, `estimated` from watching the foreground process, `none` unknown.",
});
export type CommandQuality = z.infer<typeof CommandQuality>;

export const CommandEndedBy = z.enum(["marker", "foreground", "prompt", "exit", "restart"]).meta({
  description:
    "What told that the command ended: its end `marker`, the `foreground` process group returning to the shell, the next `prompt`, the `exit` of the terminal's program, or a `restart` of the host that lost sight of it.",
});
export type CommandEndedBy = z.infer<typeof CommandEndedBy>;

/** A longer line is a pasted file; its raw bytes stay in the recording. */
export const MAX_COMMAND_LINE_LENGTH = 65_536;

export const CommandLine = wellFormedText({
  description: "The command line as the shell got it, with its quotes and line breaks.",
  maxLength: MAX_COMMAND_LINE_LENGTH,
  minLength: 0,
});
export type CommandLine = z.infer<typeof CommandLine>;

export const SignalName = z
  .string()
  .regex(/^SIG[A-Z0-9+-]{1,16}$/, "expected a name such as SIGKILL")
  .meta({ description: "Name of a signal, such as `SIGKILL`." });
export type SignalName = z.infer<typeof SignalName>;

export const commandLineTruncated = z.literal(true).optional().meta({
  description: "Present when the command line was too long and only its beginning is kept.",
});

/** Measured on the monotonic clock. */
export const CommandDurationMs = z
  .int()
  .min(0)
  .meta({ description: "How long the command ran, in milliseconds." });

export const Command = z
  .strictObject({
    commandId: CommandId,
    terminalId: TerminalId.meta({ description: "The terminal the command ran in." }),
    commandLine: CommandLine,
    commandLineTruncated,
    cwd: absolutePath("Working directory when the command began; absent when unknown.").optional(),
    firstSequence: Sequence.meta({ description: "Sequence of the entry that began the command." }),
    lastSequence: Sequence.optional().meta({
      description: "Sequence of the entry that ended the command; absent while it runs.",
    }),
    exitCode: z.int().optional().meta({
      description:
        "Exit code of the command; absent while it runs, after a signal or when unknown.",
    }),
    signal: SignalName.optional().meta({
      description: "The signal that ended the command, where known.",
    }),
    startedAt: Timestamp.meta({ description: "When the command began." }),
    durationMs: CommandDurationMs.optional().meta({
      description: "How long the command ran, in milliseconds; absent while it runs.",
    }),
    endedBy: CommandEndedBy.optional().meta({
      description: "What told that the command ended; absent while it runs.",
    }),
    quality: CommandQuality,
  })
  .superRefine(checkEnding)
  .refine(
    ({ firstSequence, lastSequence }) =>
      lastSequence === undefined || lastSequence >= firstSequence,
    { path: ["lastSequence"], message: "must not be less than `firstSequence`" },
  )
  .meta({ description: "One command line run in a terminal.", ...OPTIONAL_ENDING_RULES });
export type Command = z.infer<typeof Command>;
