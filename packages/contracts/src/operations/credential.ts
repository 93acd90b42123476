import { ALL_SCOPES, OPERATOR, type OperationTable } from "../operation.ts";
import { CreateTicketInput, CreateTicketResult } from "../ticket.ts";
import {
  CreateTokenInput,
  CreateTokenResult,
  ListTokensInput,
  RevokeTokenInput,
  RevokeTokenResult,
  RotateTokenInput,
  TokenList,
} from "../token.ts";

/** Requests about the credentials of the host. */
export const CREDENTIAL_OPERATIONS = {
  listTokens: {
    summary: "Lists the tokens of the host, without their secrets.",
    input: ListTokensInput,
    output: TokenList,
    errors: ["unsupported"],
    http: { method: "GET", path: "/api/tokens", status: 200 },
    scopes: OPERATOR,
    mutates: false,
  },
  createToken: {
    summary: "Creates a token; its secret is in this answer and nowhere else.",
    input: CreateTokenInput,
    output: CreateTokenResult,
    errors: ["already_exists", "unsupported"],
    http: { method: "POST", path: "/api/tokens", status: 201 },
    scopes: OPERATOR,
    mutates: true,
  },
  rotateToken: {
    summary: "Gives a token a new secret; the old one is good for nothing from then on.",
    input: RotateTokenInput,
    output: CreateTokenResult,
    errors: ["token_not_found", "unsupported"],
    http: { method: "POST", path: "/api/tokens/{name}/rotate", status: 200 },
    scopes: OPERATOR,
    mutates: true,
  },
  revokeToken: {
    summary: "Takes a token away and ends every connection that was made with it.",
    input: RevokeTokenInput,
    output: RevokeTokenResult,
    errors: ["token_not_found", "unsupported"],
    http: { method: "DELETE", path: "/api/tokens/{name}", status: 200 },
    scopes: OPERATOR,
    mutates: true,
  },
  createTicket: {
    summary: "Makes a ticket for one connection of the caller, for where no header can be sent.",
    input: CreateTicketInput,
    output: CreateTicketResult,
    errors: ["unsupported"],
    http: { method: "POST", path: "/api/tickets", status: 201 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
} as const satisfies OperationTable;
