import type { ResumedCommands } from "../command/command-state.ts";
import type { PriorRun } from "./terminal-parts.ts";

/** What is known of the commands of a terminal that goes on here. */
export function toResumedCommands({
  command,
  cwd,
  reported,
  typed,
}: Pick<PriorRun, "command" | "cwd" | "reported" | "typed">): ResumedCommands {
  const place = { reported, typed, ...(cwd === undefined ? {} : { cwd }) };
  if (!command) return place;
  const { commandId, commandLine, quality } = command;
  // The clock of a process begins with it; what is before has a time below zero.
  const startedAtMs = performance.now() - (Date.now() - Date.parse(command.occurredAt));
  const known = { commandId, commandLine, quality, startedAtMs, isExpected: false };
  return { ...place, command: command.cwd === undefined ? known : { ...known, cwd: command.cwd } };
}
