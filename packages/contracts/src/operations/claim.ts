import { ClaimState } from "../claim.ts";
import {
  AnswerControlInput,
  ClaimReading,
  HandBackClaimInput,
  MoveClaimInput,
  ReadClaimInput,
  RequestControlInput,
  RequestControlResult,
} from "../claim-requests.ts";
import { ALL_SCOPES, CHANGERS, DRIVE_ERRORS, type OperationTable } from "../operation.ts";

const CLAIM_ERRORS = [...DRIVE_ERRORS, "conflict"] as const;

/** Requests about who drives a Terminal. */
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
