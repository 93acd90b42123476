import type { z } from "zod";
import type { ErrorCode } from "./error.ts";
import {
  FindRecordingEntriesInput,
  TerminalRecordingEntryCollectionSchema,
} from "./recording-page.ts";
import { TerminalSendInputSchema } from "./send-input.ts";
import { ReadTerminalInput, TerminalSchema } from "./terminal.ts";
import { TerminalInputSchema } from "./terminal-input.ts";

/** What a credential is good for: everything, an agent's own terminals, or looking only. */
export type Scope = "operator" | "agent" | "readOnly";

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

/** The failures that any operation can have. */
export const COMMON_ERRORS = [
  "invalid_argument",
  "payload_too_large",
  "unauthenticated",
  "forbidden",
  "limit_reached",
  "unavailable",
  "internal",
] as const satisfies readonly ErrorCode[];

/** THE TABLE: every request there is; transports, the client and the reference are made from it. */
export const OPERATIONS = {
  createTerminal: {
    summary: "Creates a terminal and starts its program.",
    input: TerminalInputSchema,
    output: TerminalSchema,
    errors: [
      "cwd_not_found",
      "cwd_not_directory",
      "cwd_forbidden",
      "shell_not_allowed",
      "command_not_found",
      "command_not_executable",
      "environment_refused",
      "spawn_failed",
      "pty_unavailable",
      "unsupported",
      "recording_blocked",
    ],
    http: { method: "POST", path: "/api/terminals", status: 201 },
    scopes: ["operator", "agent"],
    mutates: true,
  },
  readTerminal: {
    summary: "Reads a terminal, live or ended: its row, its newest entries and its live state.",
    input: ReadTerminalInput,
    output: TerminalSchema,
    errors: ["terminal_not_found"],
    http: { method: "GET", path: "/api/terminals/{id}", status: 200 },
    scopes: ["operator", "agent", "readOnly"],
    mutates: false,
  },
  sendInput: {
    summary: "Types into a terminal, gives it a new size, or both.",
    input: TerminalSendInputSchema,
    output: TerminalSchema,
    errors: [
      "terminal_not_found",
      "terminal_exited",
      "claim_held",
      "conflict",
      "input_queue_full",
      "recording_blocked",
    ],
    http: { method: "POST", path: "/api/terminals/{id}/input", status: 200 },
    scopes: ["operator", "agent"],
    mutates: true,
  },
  findRecordingEntries: {
    summary: "Finds entries of a recording by type, page by page, in order of sequence.",
    input: FindRecordingEntriesInput,
    output: TerminalRecordingEntryCollectionSchema,
    errors: ["terminal_not_found", "recording_not_found"],
    http: { method: "GET", path: "/api/terminals/{terminalId}/recording", status: 200 },
    scopes: ["operator", "agent", "readOnly"],
    mutates: false,
  },
} as const satisfies Readonly<Record<string, Operation>>;

/** Names an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** What a named operation takes. */
export type OperationInput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["input"]
>;

/** What a named operation answers. */
export type OperationOutput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["output"]
>;

/** The names in braces in the path of a route, in order. */
export function pathParametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].flatMap((match) => match[1] ?? []);
}
