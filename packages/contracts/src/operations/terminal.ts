import {
  CHANGERS,
  ALL_SCOPES,
  DRIVE_ERRORS,
  LAUNCH_ERRORS,
  type OperationTable,
} from "../operation.ts";
import { CreateTerminalInput } from "../create-terminal.ts";
import { DisposeTerminalsInput, DisposeTerminalsResult } from "../dispose-terminals.ts";
import { Screen } from "../screen.ts";
import { ReadTerminalInput, TerminalSchema } from "../terminal.ts";
import { KillReport, KillTerminalInput, SignalTerminalInput } from "../terminal-ending.ts";
import { ListTerminalsInput, TerminalList } from "../terminal-list.ts";
import {
  DisposeTerminalInput,
  DisposeTerminalResult,
  ReadScreenInput,
  RenameTerminalInput,
} from "../terminal-requests.ts";
import { TerminalSummary } from "../terminal-summary.ts";

/** Requests about a Terminal as a whole: its beginning, its life and its end. */
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
