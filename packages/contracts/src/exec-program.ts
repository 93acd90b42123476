import { refuse, type Report } from "./refuse.ts";

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
