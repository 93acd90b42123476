import { AuditPage, ListAuditInput } from "../audit.ts";
import { ChangeLimitsInput, HostInfo, HostLimits, ReadHostInput } from "../host-info.ts";
import { ALL_SCOPES, type OperationTable, OPERATOR } from "../operation.ts";
import {
  CreateTicketInput,
  CreateTicketResult,
  CreateTokenInput,
  CreateTokenResult,
  ListTokensInput,
  RevokeTokenInput,
  RevokeTokenResult,
  RotateTokenInput,
  TokenList,
} from "../token.ts";

export const HOST_OPERATIONS = {
  readHost: {
    summary: "Reads what the host is, what it does and what its limits are.",
    input: ReadHostInput,
    output: HostInfo,
    errors: [],
    http: { method: "GET", path: "/api/host", status: 200 },
    scopes: ALL_SCOPES,
    mutates: false,
  },
  changeLimits: {
    summary: "Sets how many terminals may run from now on; those that run are not ended.",
    input: ChangeLimitsInput,
    output: HostLimits,
    errors: [],
    http: { method: "PUT", path: "/api/limits", status: 200 },
    scopes: OPERATOR,
    mutates: true,
  },
  listAudit: {
    summary: "Lists who did what, page by page, newest last.",
    input: ListAuditInput,
    output: AuditPage,
    errors: [],
    http: { method: "GET", path: "/api/audit", status: 200 },
    scopes: OPERATOR,
    mutates: false,
  },
} as const satisfies OperationTable;

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
