import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import type { Scope } from "./scope.ts";

/** Route of an operation; `{name}` in the path is the input's property `name`. */
export interface HttpRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly status: 200 | 201;
}

/** One request that every wire carries. */
export interface Operation {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Errors of its own, beside `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
  readonly http: HttpRoute;
  readonly scopes: readonly Scope[];
  readonly mutates: boolean;
}

export type OperationTable = Readonly<Record<string, Operation>>;

/** Any operation may fail with these. */
export const COMMON_ERRORS = [
  "invalid_argument",
  "payload_too_large",
  "unauthenticated",
  "forbidden",
  "limit_reached",
  "unavailable",
  "recording_damaged",
  "internal",
] as const satisfies readonly ErrorCode[];

/** Operations that start a program may fail with these. */
export const LAUNCH_ERRORS = [
  "cwd_not_found",
  "cwd_not_directory",
  "cwd_forbidden",
  "shell_not_allowed",
  "command_not_found",
  "command_not_executable",
  "environment_refused",
  "spawn_failed",
  "pty_unavailable",
  "resource_exhausted",
  "unsupported",
  "recording_blocked",
] as const satisfies readonly ErrorCode[];

/** Operations that change a running terminal may fail with these. */
export const DRIVE_ERRORS = [
  "terminal_not_found",
  "terminal_exited",
  "claim_held",
  "recording_blocked",
] as const satisfies readonly ErrorCode[];

export const ALL_SCOPES = ["operator", "agent", "readOnly"] as const satisfies readonly Scope[];

export const CHANGERS = ["operator", "agent"] as const satisfies readonly Scope[];

export const OPERATOR = ["operator"] as const satisfies readonly Scope[];
