// How the program of a terminal is launched, as stored in the terminal's row.
import { z } from "zod";
import { labelText, systemText, titleText } from "./bounded-text.ts";
import { byteCountOf } from "./bytes.ts";
import { countedList, refuse, type Report, safeRecord } from "./json-object.ts";

/** A chapter name is shown on one line of a player. */
const MAX_LABEL_LENGTH = 256;

export const TerminalTitle = titleText("Title of a terminal; empty to take it away.");
export type TerminalTitle = z.infer<typeof TerminalTitle>;

export const MarkerLabel = labelText({
  description: "What is at a point of a recording; may be empty.",
  maxLength: MAX_LABEL_LENGTH,
  minLength: 0,
});
export type MarkerLabel = z.infer<typeof MarkerLabel>;

/** No program can be loaded with less. */
const MIN_MEMORY_BYTES = 1024 * 1024;

/** Programs need a few descriptors to start. */
const MIN_OPEN_FILES = 16;

/** Smallest share of a CPU that the kernel grants. */
const MIN_CPUS = 0.01;
const MAX_CPUS = 1024;

const limitFields = {
  maxProcesses: z.int().min(1).optional().meta({
    description:
      "How many processes and threads there may be at once; in a cgroup those of the terminal, otherwise those of the user beside what was there before.",
  }),
  maxMemoryBytes: z.int().min(MIN_MEMORY_BYTES).optional().meta({
    description:
      "How much memory, in bytes; in a cgroup all programs of the terminal together, otherwise each process.",
  }),
  maxCpus: z.number().min(MIN_CPUS).max(MAX_CPUS).optional().meta({
    description:
      "How much of the processors all programs of the terminal have together, such as 1.5; only in a cgroup.",
  }),
  maxCpuSeconds: z.int().min(1).optional().meta({
    description:
      "For how many seconds each process may use a processor; then it is ended by SIGXCPU.",
  }),
  maxOpenFiles: z.int().min(MIN_OPEN_FILES).optional().meta({
    description: "How many files each process may have open.",
  }),
};

export const ProgramLimits = z
  .strictObject(limitFields)
  .meta({ description: "What the programs of a terminal may use; what is absent is not limited." });
export type ProgramLimits = z.infer<typeof ProgramLimits>;

export const LimitsInForce = z
  .strictObject({
    mechanism: z.enum(["cgroup", "rlimit", "none"]).meta({
      description:
        "What holds the programs: a `cgroup` all of them together, an `rlimit` each process, or `none`.",
    }),
    ...limitFields,
  })
  .meta({ description: "What the programs of a terminal are held to." });
export type LimitsInForce = z.infer<typeof LimitsInForce>;

export const LimitReached = z.enum(["memory", "cpuTime"]).meta({
  description:
    "Which limit ended the program: `memory` when the kernel killed it because the programs of the terminal had too much, `cpuTime` after too long on the processors.",
});
export type LimitReached = z.infer<typeof LimitReached>;

interface ProgramFields {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly commandLine?: string | undefined;
}

/** `args` belong to `command`; a `commandLine` has its own. */
export function checkProgram({ command, args, commandLine }: ProgramFields, report: Report): void {
  if ((command === undefined) === (commandLine === undefined)) {
    refuse(report, "command", "needs either `command` or `commandLine`");
  }
  if (args !== undefined && command === undefined) refuse(report, "args", "`args` needs `command`");
}

/** `checkProgram` as JSON Schema. */
export const PROGRAM_RULES = {
  oneOf: [{ required: ["command"] }, { required: ["commandLine"] }],
  dependentRequired: { args: ["command"] },
};

/** A terminal runs a shell, a program or a command line: exactly one of them. */
export function checkCommandLine(
  { command, args, commandLine }: ProgramFields,
  report: Report,
): void {
  if (commandLine === undefined) return;
  if (command !== undefined) refuse(report, "commandLine", "`commandLine` excludes `command`");
  if (args !== undefined) refuse(report, "args", "`args` needs `command`");
}

/** `checkCommandLine` as JSON Schema. */
export const COMMAND_LINE_RULES = {
  allOf: [
    { not: { required: ["commandLine", "command"] } },
    { not: { required: ["commandLine", "args"] } },
  ],
};

/** Names are shown in lists. */
export const MAX_NAME_LENGTH = 256;

/** MAX_ARG_STRLEN of Linux, including the final NUL. */
export const MAX_ARGUMENT_BYTES = 128 * 1024;

/** Half of Linux's default for arguments and environment together (a quarter of the stack limit). */
export const MAX_ARGUMENTS_BYTES = 1024 * 1024;

/** Far above any command line written by hand; put a longer list into a file. */
const MAX_ARGUMENTS = 1024;

/** More than any program needs; the kernel limits the total size. */
const MAX_VARIABLES = 256;

/** The kernel counts the final NUL. */
const kernelBytesOf = (text: string): number => byteCountOf({ data: text }) + 1;

/** Whether execve would take them. Characters are compared first, because bytes are at least as many. */
function fitTogether(texts: readonly string[]): boolean {
  const lengths = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (lengths > MAX_ARGUMENTS_BYTES) return false;
  return texts.reduce((sum, text) => sum + kernelBytesOf(text), 0) <= MAX_ARGUMENTS_BYTES;
}

const TOGETHER = `may have at most ${MAX_ARGUMENTS_BYTES} bytes together`;

/** Text that execve takes as one argument. */
export const argumentText = (description: string, minLength = 0) =>
  systemText({ description, maxLength: MAX_ARGUMENT_BYTES - 1, minLength }).refine(
    (text) => kernelBytesOf(text) <= MAX_ARGUMENT_BYTES,
    `may have at most ${MAX_ARGUMENT_BYTES - 1} bytes`,
  );

export const launchFields = {
  name: labelText({
    description: "Label for people; never identity, need not be unique.",
    maxLength: MAX_NAME_LENGTH,
  }).optional(),
  command: argumentText(
    "Program to run, a path or a name on the PATH; a shell when absent.",
    1,
  ).optional(),
  args: countedList(argumentText("One argument, handed over without a shell."), MAX_ARGUMENTS)
    .refine(fitTogether, TOGETHER)
    .optional()
    .meta({ description: "Arguments of the program, each handed over without a shell." }),
};

export const environmentField = safeRecord({
  key: z
    .string()
    .max(MAX_NAME_LENGTH, { abort: true })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"),
  value: argumentText("Value of one variable."),
  maxProperties: MAX_VARIABLES,
})
  .superRefine((env, context) => {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    if (!fitTogether(variables)) {
      context.addIssue({ code: "custom", message: TOGETHER });
      return;
    }
    for (const [index, name] of Object.keys(env).entries()) {
      if (kernelBytesOf(variables[index] ?? "") > MAX_ARGUMENT_BYTES) {
        const message = `may have at most ${MAX_ARGUMENT_BYTES - 1} bytes with its name`;
        context.addIssue({ code: "custom", path: [name], message });
      }
    }
  })
  .optional()
  .meta({
    description: "Variables to add to the program's environment; never stored.",
    maxProperties: MAX_VARIABLES,
  });
