import { z } from "zod";
import { systemText } from "./bounded-text.ts";
import { Command, MAX_COMMAND_LINE_LENGTH, SignalName } from "./command.ts";
import { TerminalId } from "./ids.ts";
import {
  checkProgram,
  environmentField,
  launchFields,
  LimitReached,
  PROGRAM_RULES,
  ProgramLimits,
} from "./launch-fields.ts";
import { excerptBytes, MAX_WAIT_MS, OutputExcerpt, timeoutMs } from "./output.ts";
import { Size } from "./size.ts";
import { RecordingBlocked } from "./storage.ts";
import { TerminalInputSchema, TerminalOwnerReferenceSchema } from "./terminal-input.ts";
import { InputNeeded } from "./terminal-state.ts";

/** Default time limit; the command goes on afterwards. */
export const DEFAULT_COMMAND_TIMEOUT_MS = 120_000;

const commandLine = (description: string) =>
  systemText({ description, maxLength: MAX_COMMAND_LINE_LENGTH });

export const RunCommandInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal with the shell." }),
    commandLine: commandLine("The command line, handed to the shell exactly as it is."),
    timeoutMs: timeoutMs(DEFAULT_COMMAND_TIMEOUT_MS),
    endAfterMs: z.int().min(1).max(MAX_WAIT_MS).optional().meta({
      description:
        "End the command when it still runs after so many milliseconds, whoever still waits for it: by SIGINT, then SIGTERM, then SIGKILL to what is in the foreground; never when absent. The shell goes on.",
    }),
    maxOutputBytes: excerptBytes,
  })
  .meta({ description: "A command line to run in the live shell of a terminal." });
export type RunCommandInput = z.infer<typeof RunCommandInput>;

const ShellExit = z
  .strictObject({
    exitCode: z.int().nullable().meta({
      description: "Exit code of the shell; null after a signal or when nobody saw it end.",
    }),
    signal: SignalName.optional().meta({ description: "The signal that ended the shell." }),
  })
  .meta({ description: "How the shell itself ended; present when it did." });

/** The command is over only when the state is `ended`. */
export const RunCommandResult = z
  .strictObject({
    outcome: z
      .enum(["ended", "inputNeeded", "timeout", "exited", "refused", "recordingBlocked"])
      .meta({
        description:
          "`ended`; `inputNeeded` when it waits for somebody to type; `timeout` when it still runs; `exited` when the shell itself ended; `refused` when the shell ran nothing, as for a line it does not understand; `recordingBlocked` when nothing can be recorded, so that nobody can see what it does.",
      }),
    command: Command.optional().meta({
      description: "The command as recorded; absent when the shell did not begin it.",
    }),
    inputNeeded: InputNeeded.optional().meta({
      description: "Present while the program waits for somebody to type.",
    }),
    shellExit: ShellExit.optional(),
    recordingBlocked: RecordingBlocked.optional().meta({
      description: "Present while the terminal cannot be recorded.",
    }),
    timedOut: z.literal(true).optional().meta({
      description: "Present when it was ended, or is being ended, because of `endAfterMs`.",
    }),
    output: OutputExcerpt.meta({ description: "What the command wrote so far." }),
  })
  .meta({ description: "What became of a command line." });
export type RunCommandResult = z.infer<typeof RunCommandResult>;

export const ExecMode = z.enum(["pty", "pipe"]).meta({
  description:
    "`pty` gives the program a terminal; `pipe` gives it none, and keeps its standard error apart.",
});
export type ExecMode = z.infer<typeof ExecMode>;

/** Longer than any build, and within `setTimeout`'s range. */
export const MAX_EXEC_MS = 7 * 24 * 60 * 60 * 1000;

export const limitsField = ProgramLimits.optional().meta({
  description:
    "What the programs may use, no more than the host allows; refused with `unsupported` where the system cannot keep it.",
});

export const ExecInput = z
  .strictObject({
    owner: TerminalOwnerReferenceSchema.meta({ description: "The entity that asks." }),
    workingDirectory: TerminalInputSchema.shape.workingDirectory,
    name: launchFields.name,
    command: launchFields.command,
    args: launchFields.args,
    commandLine: commandLine(
      "A command line for the default shell, instead of `command`.",
    ).optional(),
    mode: ExecMode.optional(),
    env: environmentField,
    inheritEnv: TerminalInputSchema.shape.inheritEnv,
    size: Size.optional().meta({ description: "Size to start with; 80×24 when absent." }),
    timeoutMs: z
      .int()
      .min(0)
      .max(MAX_EXEC_MS)
      .optional()
      .meta({
        description: `The program is ended after so many milliseconds; ${DEFAULT_COMMAND_TIMEOUT_MS} when absent.`,
      }),
    maxOutputBytes: excerptBytes,
    keepBackground: z.boolean().optional().meta({
      description:
        "Whether what the program leaves in the background goes on when it ends, until the terminal is closed; ended when absent.",
    }),
    limits: limitsField,
  })
  .superRefine(checkProgram)
  .meta({ description: "One command with a recorded terminal of its own.", ...PROGRAM_RULES });
export type ExecInput = z.infer<typeof ExecInput>;

/** People and models read this list; the rest is only counted. */
export const MAX_BACKGROUND_SHOWN = 20;

export const BackgroundProcesses = z
  .strictObject({
    count: z.int().min(1).meta({ description: "How many there are." }),
    processes: z
      .array(
        z.strictObject({
          pid: z.int().min(1).meta({ description: "Number of the process." }),
          name: z.string().meta({ description: "What people know it by." }),
        }),
      )
      .max(MAX_BACKGROUND_SHOWN)
      .meta({ description: "The first of them." }),
    kept: z.boolean().meta({
      description: "Whether they go on, because of `keepBackground`; otherwise they were ended.",
    }),
  })
  .meta({ description: "What a program left running when it ended." });
export type BackgroundProcesses = z.infer<typeof BackgroundProcesses>;

/** All output of the command stays in its recording. */
export const ExecResult = z
  .strictObject({
    terminalId: TerminalId.meta({ description: "The terminal whose recording has everything." }),
    exitCode: z.int().nullable().meta({
      description: "Exit code of the program; null after a signal or when unknown.",
    }),
    signal: SignalName.optional().meta({ description: "The signal that ended the program." }),
    limitReached: LimitReached.optional(),
    timedOut: z.boolean().meta({ description: "Whether it was ended because of the deadline." }),
    durationMs: z.int().min(0).meta({ description: "How long it ran, in milliseconds." }),
    output: OutputExcerpt.meta({
      description: "What the program wrote; in `pipe` mode its standard output.",
    }),
    errorOutput: OutputExcerpt.optional().meta({
      description: "What it wrote to its standard error, in `pipe` mode.",
    }),
    background: BackgroundProcesses.optional().meta({
      description: "Present when it left something running in the background.",
    }),
  })
  .meta({ description: "What became of one command." });
export type ExecResult = z.infer<typeof ExecResult>;
