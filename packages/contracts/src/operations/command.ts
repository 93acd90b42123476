import {
  CommandList,
  CommandOutput,
  ListCommandsInput,
  ReadCommandInput,
} from "../command-list.ts";
import { ExecCommandInput } from "../create-terminal.ts";
import {
  CHANGERS,
  ALL_SCOPES,
  DRIVE_ERRORS,
  LAUNCH_ERRORS,
  type OperationTable,
} from "../operation.ts";
import { OutputPage, ReadOutputInput } from "../output.ts";
import { ExecResult, RunCommandInput, RunCommandResult } from "../run-command.ts";
import { WaitInput, WaitResult } from "../wait.ts";

/** Requests about Commands and what they write. */
export const COMMAND_OPERATIONS = {
  runCommand: {
    summary: "Runs a command line in the live shell of a terminal and answers when it has ended.",
    input: RunCommandInput,
    output: RunCommandResult,
    errors: [...DRIVE_ERRORS, "conflict", "input_queue_full", "unsupported"],
    http: { method: "POST", path: "/api/terminals/{id}/commands", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  listCommands: {
    summary: "Lists the commands of a terminal in the order in which they began, page by page.",
    input: ListCommandsInput,
    output: CommandList,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}/commands", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  readCommand: {
    summary: "Reads one command of a terminal, with what it wrote.",
    input: ReadCommandInput,
    output: CommandOutput,
    errors: ["terminal_not_found", "recording_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}/commands/{commandId}", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  execCommand: {
    summary: "Runs one command in a recorded terminal of its own, from its first byte to its end.",
    input: ExecCommandInput,
    output: ExecResult,
    errors: LAUNCH_ERRORS,
    http: { method: "POST", path: "/api/exec", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  waitFor: {
    summary: "Waits until something happens in a terminal, or the deadline passes.",
    input: WaitInput,
    output: WaitResult,
    errors: ["terminal_not_found"],
    http: { method: "POST", path: "/api/terminals/{id}/wait", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  readOutput: {
    summary: "Reads the output of a terminal from a position on, and waits for some when asked to.",
    input: ReadOutputInput,
    output: OutputPage,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}/output", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
} as const satisfies OperationTable;
