import {
  CommandList,
  CommandOutput,
  ListCommandsInput,
  ReadCommandInput,
} from "../command-list.ts";
import { CreateTerminalInput, ExecCommandInput } from "../create-terminal.ts";
import {
  ALL_SCOPES,
  CHANGERS,
  DRIVE_ERRORS,
  LAUNCH_ERRORS,
  type OperationTable,
} from "../operation.ts";
import { OutputPage, ReadOutputInput } from "../output.ts";
import { ExecResult, RunCommandInput, RunCommandResult } from "../run-command.ts";
import { Screen } from "../screen.ts";
import {
  DisposeTerminalsInput,
  DisposeTerminalsResult,
  KillReport,
  KillTerminalInput,
  SignalTerminalInput,
} from "../terminal-ending.ts";
import { ListTerminalsInput, TerminalList, TerminalSummary } from "../terminal-list.ts";
import {
  DisposeTerminalInput,
  DisposeTerminalResult,
  ReadScreenInput,
  RenameTerminalInput,
} from "../terminal-requests.ts";
import { ReadTerminalInput, TerminalSchema } from "../terminal.ts";
import { WaitInput, WaitResult } from "../wait.ts";

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

export const TERMINAL_OPERATIONS = {
  createTerminal: {
    summary: "Creates a terminal and starts its program.",
    input: CreateTerminalInput,
    output: TerminalSchema,
    errors: LAUNCH_ERRORS,
    http: { method: "POST", path: "/api/terminals", status: 201 },
    scopes: CHANGERS,
    mutates: true,
  },
  listTerminals: {
    summary: "Lists the terminals of the host in the order of their creation, page by page.",
    input: ListTerminalsInput,
    output: TerminalList,
    errors: [],
    http: { method: "GET", path: "/api/terminals", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  readTerminal: {
    summary: "Reads a terminal, live or ended: its row, its newest entries and its live state.",
    input: ReadTerminalInput,
    output: TerminalSchema,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  renameTerminal: {
    summary: "Gives a terminal a title, or takes it away with an empty one.",
    input: RenameTerminalInput,
    output: TerminalSummary,
    errors: DRIVE_ERRORS,
    http: { method: "PATCH", path: "/api/terminals/{id}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  disposeTerminal: {
    summary: "Ends a terminal and takes it off the list; its recording stays.",
    input: DisposeTerminalInput,
    output: DisposeTerminalResult,
    errors: ["terminal_not_found", "terminal_exited", "claim_held"],
    http: { method: "DELETE", path: "/api/terminals/{id}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  disposeTerminals: {
    summary:
      "Ends the terminals of an owner, or of an agent's session, that is gone, but for those to be kept; their recordings stay.",
    input: DisposeTerminalsInput,
    output: DisposeTerminalsResult,
    errors: [],
    http: { method: "DELETE", path: "/api/terminals", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  signalTerminal: {
    summary: "Sends a signal to what runs in a terminal.",
    input: SignalTerminalInput,
    output: TerminalSummary,
    errors: [...DRIVE_ERRORS, "unsupported"],
    http: { method: "POST", path: "/api/terminals/{id}/signal", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  killTerminal: {
    summary: "Ends everything that was started in a terminal and proves that it ended.",
    input: KillTerminalInput,
    output: KillReport,
    errors: DRIVE_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/kill", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  readScreen: {
    summary: "Reads what a terminal shows, now or as of a sequence.",
    input: ReadScreenInput,
    output: Screen,
    errors: ["terminal_not_found", "recording_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}/screen", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
} as const satisfies OperationTable;
