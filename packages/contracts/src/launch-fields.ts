// What is said about the program of a terminal when it is created, and kept in its row.
import { z } from "zod";
import { labelText, systemText, titleText } from "./bounded-text.ts";
import { byteCountOf } from "./bytes.ts";
import { countedList, refuse, type Report, safeRecord } from "./json-object.ts";

/** A chapter name must fit on one line of a player. */
const MAX_LABEL_LENGTH = 256;

/** The title of a Terminal. */
export const TerminalTitle = titleText("Title of a terminal; empty to take it away.");
export type TerminalTitle = z.infer<typeof TerminalTitle>;

/** What stands at a point of a Recording. */
export const MarkerLabel = labelText({
  description: "What is at a point of a recording; may be empty.",
  maxLength: MAX_LABEL_LENGTH,
  minLength: 0,
});
export type MarkerLabel = z.infer<typeof MarkerLabel>;

/** A program with less could not even be loaded. */
const MIN_MEMORY_BYTES = 1024 * 1024;

/** Programs need a few to begin with. */
const MIN_OPEN_FILES = 16;

/** The smallest part of a processor that the kernel shares out. */
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

/** What the programs of a Terminal may use. */
export const ProgramLimits = z
  .strictObject(limitFields)
  .meta({ description: "What the programs of a terminal may use; what is absent is not limited." });
export type ProgramLimits = z.infer<typeof ProgramLimits>;

/** What the programs of a Terminal are held to, and by what. */
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

/** Which limit ended a program. */
export const LimitReached = z.enum(["memory", "cpuTime"]).meta({
  description:
    "Which limit ended the program: `memory` when the kernel killed it because the programs of the terminal had too much, `cpuTime` after too long on the processors.",
});
export type LimitReached = z.infer<typeof LimitReached>;

/** How a request says which program to run by itself. */
interface ProgramFields {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly commandLine?: string | undefined;
}

/** A program is named either by itself or in a command line, and only by itself has arguments apart. */
export function checkProgram({ command, args, commandLine }: ProgramFields, report: Report): void {
  if ((command === undefined) === (commandLine === undefined)) {
    refuse(report, "command", "needs either `command` or `commandLine`");
  }
  if (args !== undefined && command === undefined) refuse(report, "args", "`args` needs `command`");
}

/** What `checkProgram` demands, in the words of JSON Schema. */
export const PROGRAM_RULES = {
  oneOf: [{ required: ["command"] }, { required: ["commandLine"] }],
  dependentRequired: { args: ["command"] },
};

/** A terminal runs a shell, a program or a command line, and only one of them. */
export function checkCommandLine(
  { command, args, commandLine }: ProgramFields,
  report: Report,
): void {
  if (commandLine === undefined) return;
  if (command !== undefined) refuse(report, "commandLine", "`commandLine` excludes `command`");
  if (args !== undefined) refuse(report, "args", "`args` needs `command`");
}

/** What `checkCommandLine` demands, in the words of JSON Schema. */
export const COMMAND_LINE_RULES = {
  allOf: [
    { not: { required: ["commandLine", "command"] } },
    { not: { required: ["commandLine", "args"] } },
  ],
};

/** Names are for people; longer ones fit in no list. */
export const MAX_NAME_LENGTH = 256;

/** Linux refuses a longer single argument or variable, counted with the byte that ends it. */
export const MAX_ARGUMENT_BYTES = 128 * 1024;

/** Half of what Linux gives arguments and environment together by default. */
export const MAX_ARGUMENTS_BYTES = 1024 * 1024;

/** Far above any command line made by hand; a list of files belongs into a file. */
const MAX_ARGUMENTS = 1024;

/** More variables than any program needs; the operating system limits their total. */
const MAX_VARIABLES = 256;

/** Counts as the kernel does, with the byte that ends each text. */
const kernelBytesOf = (text: string): number => byteCountOf({ data: text }) + 1;

/** Tells whether the kernel would take the texts; too many characters are too many bytes, so they are not counted. */
function fitTogether(texts: readonly string[]): boolean {
  const lengths = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (lengths > MAX_ARGUMENTS_BYTES) return false;
  return texts.reduce((sum, text) => sum + kernelBytesOf(text), 0) <= MAX_ARGUMENTS_BYTES;
}

const TOGETHER = `may have at most ${MAX_ARGUMENTS_BYTES} bytes together`;

/** Text for the operating system that the kernel takes as one argument. */
export const argumentText = (description: string, minLength = 0) =>
  systemText({ description, maxLength: MAX_ARGUMENT_BYTES - 1, minLength }).refine(
    (text) => kernelBytesOf(text) <= MAX_ARGUMENT_BYTES,
    `may have at most ${MAX_ARGUMENT_BYTES - 1} bytes`,
  );

/** How the program of a Terminal is launched, as its row keeps it. */
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

/** Variables for the program of a Terminal. */
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
