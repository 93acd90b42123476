import { AuditPage, ListAuditInput } from "../audit.ts";
import { ChangeLimitsInput, HostInfo, HostLimits, ReadHostInput } from "../host-info.ts";
import { ALL_SCOPES, OPERATOR, type OperationTable } from "../operation.ts";

/** Requests about the Host itself. */
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
