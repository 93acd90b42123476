import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import type { Scope } from "./scope.ts";

/** Where an operation is found over HTTP; a `{name}` in the path is the property `name` of the input. */
export interface HttpRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** The status of success. */
  readonly status: 200 | 201;
}

/** One request that every wire can carry. */
export interface Operation {
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** The failures of its own, beside `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
  readonly http: HttpRoute;
  /** Which credentials may ask for it. */
  readonly scopes: readonly Scope[];
  /** Whether it changes anything. */
  readonly mutates: boolean;
}

/** Some requests of a topic, by name. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** The failures that any operation can have. */
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

/** The failures of whatever starts a program. */
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

/** The failures of whatever changes a terminal that runs. */
export const DRIVE_ERRORS = [
  "terminal_not_found",
  "terminal_exited",
  "claim_held",
  "recording_blocked",
] as const satisfies readonly ErrorCode[];

/** Everybody with a credential. */
export const ALL_SCOPES = ["operator", "agent", "readOnly"] as const satisfies readonly Scope[];

/** Everybody who may change something. */
export const CHANGERS = ["operator", "agent"] as const satisfies readonly Scope[];

/** Only who may do everything. */
export const OPERATOR = ["operator"] as const satisfies readonly Scope[];
