import {
  AnswerInputInput,
  AnswerInputResult,
  RequestInputInput,
  RequestInputResult,
} from "../input-requests.ts";
import { CHANGERS, DRIVE_ERRORS, type OperationTable } from "../operation.ts";
import { TerminalSendInputSchema } from "../send-input.ts";
import { Size } from "../size.ts";
import { TerminalSchema } from "../terminal.ts";
import {
  ClearTerminalInput,
  MarkRecordingInput,
  MarkRecordingResult,
  PasteTextInput,
  ResizeTerminalInput,
} from "../terminal-requests.ts";
import { TerminalSummary } from "../terminal-summary.ts";

/** Requests that drive a Terminal by what a person does at one: typing, pasting, resizing, clearing. */
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
    summary: "Asks people to type something into a terminal, and waits for it when asked to.",
    input: RequestInputInput,
    output: RequestInputResult,
    errors: DRIVE_ERRORS,
    http: { method: "POST", path: "/api/terminals/{id}/input-requests", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
  answerInput: {
    summary: "Types what was asked for into a terminal, or declines.",
    input: AnswerInputInput,
    output: AnswerInputResult,
    errors: [...DRIVE_ERRORS, "conflict", "input_queue_full"],
    http: { method: "POST", path: "/api/terminals/{id}/input-requests/{requestId}", status: 200 },
    scopes: CHANGERS,
    mutates: true,
  },
} as const satisfies OperationTable;
