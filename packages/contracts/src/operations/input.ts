import {
  AnswerControlInput,
  ClaimReading,
  HandBackClaimInput,
  MoveClaimInput,
  ReadClaimInput,
  RequestControlInput,
  RequestControlResult,
} from "../claim-requests.ts";
import { ClaimState } from "../claim.ts";
import {
  AnswerInputInput,
  AnswerInputResult,
  ReadInputRequestInput,
  RequestInputInput,
  RequestInputResult,
  WithdrawInputInput,
} from "../input-requests.ts";
import { ALL_SCOPES, CHANGERS, DRIVE_ERRORS, type OperationTable } from "../operation.ts";
import { TerminalSendInputSchema } from "../send-input.ts";
import { Size } from "../size.ts";
import { TerminalSummary } from "../terminal-list.ts";
import {
  ClearTerminalInput,
  MarkRecordingInput,
  MarkRecordingResult,
  PasteTextInput,
  ResizeTerminalInput,
} from "../terminal-requests.ts";
import { TerminalSchema } from "../terminal.ts";

const CLAIM_ERRORS = [...DRIVE_ERRORS, "conflict"] as const;

export const CLAIM_OPERATIONS = {
  readClaim: {
    summary: "Reads who drives a terminal, since when, and whether that is whoever asks.",
    input: ReadClaimInput,
    output: ClaimReading,
    errors: ["terminal_not_found", "terminal_exited"],
    http: { method: "GET", path: "/api/terminals/{id}/claim", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  moveClaim: {
    summary: "Moves the claim of a terminal: to the caller, or to whom its holder names.",
    input: MoveClaimInput,
    output: ClaimState,
    errors: CLAIM_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/claim", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  handBackClaim: {
    summary: "Gives the claim of a terminal back to whom it was taken from.",
    input: HandBackClaimInput,
    output: ClaimState,
    errors: CLAIM_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/claim/hand-back", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  requestControl: {
    summary: "Asks the holder of a terminal for its claim, and waits for the answer when asked to.",
    input: RequestControlInput,
    output: RequestControlResult,
    errors: CLAIM_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/control-requests", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  answerControl: {
    summary: "Answers who asks for control of a terminal; its holder may, and an operator.",
    input: AnswerControlInput,
    output: ClaimState,
    errors: CLAIM_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/control-requests/{requestId}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
} as const satisfies OperationTable;

export const INPUT_OPERATIONS = {
  sendInput: {
    summary: "Types into a terminal, gives it a new size, or both.",
    input: TerminalSendInputSchema,
    output: TerminalSchema,
    errors: [...DRIVE_ERRORS, "conflict", "input_queue_full"],
    http: { method: "POST", path: "/api/terminals/{id}/input", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  pasteText: {
    summary: "Pastes text into a terminal, in brackets where the program asked for them.",
    input: PasteTextInput,
    output: TerminalSummary,
    errors: [...DRIVE_ERRORS, "conflict", "input_queue_full"],
    http: { method: "POST", path: "/api/terminals/{id}/paste", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  resizeTerminal: {
    summary:
      "Asks for a size and answers with the real one, which follows who drives the terminal.",
    input: ResizeTerminalInput,
    output: Size,
    errors: DRIVE_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/resize", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  clearTerminal: {
    summary: "Lets views of a terminal start empty from here on; its recording keeps everything.",
    input: ClearTerminalInput,
    output: TerminalSummary,
    errors: DRIVE_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/clear", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  markRecording: {
    summary: "Names this point of a terminal's recording.",
    input: MarkRecordingInput,
    output: MarkRecordingResult,
    errors: DRIVE_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/markers", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  requestInput: {
    summary:
      "Asks people for an answer, or to type something into a terminal, and waits for it when asked to.",
    input: RequestInputInput,
    output: RequestInputResult,
    errors: [...DRIVE_ERRORS, "conflict"],
    http: { method: "POST", path: "/api/terminals/{id}/input-requests", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  answerInput: {
    summary: "Answers a question, which types the answer where that was asked for, or declines.",
    input: AnswerInputInput,
    output: AnswerInputResult,
    errors: [...DRIVE_ERRORS, "conflict", "input_queue_full"],
    http: { method: "POST", path: "/api/terminals/{id}/input-requests/{requestId}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  readInputRequest: {
    summary: "Tells what became of a question, and waits for its answer when asked to.",
    input: ReadInputRequestInput,
    output: RequestInputResult,
    errors: ["terminal_not_found", "terminal_exited", "conflict"],
    http: { method: "GET", path: "/api/terminals/{id}/input-requests/{requestId}", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  withdrawInput: {
    summary: "Withdraws a question, or takes one that lapsed off the list.",
    input: WithdrawInputInput,
    output: RequestInputResult,
    errors: ["terminal_not_found", "terminal_exited", "conflict"],
    http: { method: "DELETE", path: "/api/terminals/{id}/input-requests/{requestId}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
} as const satisfies OperationTable;
