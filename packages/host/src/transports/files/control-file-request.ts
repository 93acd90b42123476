// Parses control files into requests.
import {
  AnswerInputInput,
  InputRequest,
  InputRequestKind,
  invalidArgument,
  MAX_OUTPUT_BYTES,
  MAX_WAIT_MS,
  NacreError,
  type OutputPosition,
  parse,
  RequestInputInput,
  Size,
  TerminalId,
} from "@nacre/contracts";
import { z } from "zod";
import { parseJsonText } from "../../base/parse-json-text.ts";
import type { Commit } from "./commit-detector.ts";

// The fields of each control file. Null counts as absent; unknown fields are refused.

/** `<sequence>` or `<sequence>.<offset>`. */
export const formatCursor = ({ after, offset }: OutputPosition): string =>
  offset === undefined ? `${after}` : `${after}.${offset}`;

/** Reverses `formatCursor`. */
export function parseCursor(cursor: string): OutputPosition {
  const [after = "0", offset] = cursor.split(".");
  return { after: Number(after), ...(offset === undefined ? {} : { offset: Number(offset) }) };
}

export const DEFAULT_EXEC_TIMEOUT_MS = 30_000;

export const DEFAULT_READ_TIMEOUT_MS = 100;

export const DEFAULT_READ_BYTES = 65_536;

/** Fewer bytes make no excerpt. */
const MIN_EXEC_BYTES = 256;

/** Safe to display, and never a file name. */
export const SessionId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "expected 1 to 64 letters, digits, `_` or `-` that begin with a letter or digit",
  );

/** The name of the file with the answer. */
export const ControlRequestId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/,
    "expected 1 to 128 letters, digits, `_` or `-` that begin with a letter or digit",
  );

export const CursorText = z
  .string()
  .regex(/^\d{1,15}(?:\.\d{1,15})?$/, "expected a cursor from an earlier answer");

const timeoutMs = z.int().min(0).max(MAX_WAIT_MS).optional();
const sessionId = SessionId.optional();

/** Other control characters would be key presses. */
const commandText = z
  .string()
  .min(1)
  // oxlint-disable-next-line no-control-regex -- refusing these control characters is the purpose
  .regex(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/, {
    message:
      "must not contain control characters other than line feeds and tabs; type them with write.json",
  });

export const PAYLOADS = {
  create: z.strictObject({
    session_id: sessionId,
    label: z.string().optional(),
    cwd: z.string().min(1).optional(),
    shell: z.string().optional(),
    cols: Size.shape.cols.optional(),
    rows: Size.shape.rows.optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  resume: z.strictObject({ session_id: sessionId }),
  close: z.strictObject({ session_id: sessionId, force: z.boolean().optional() }),
  write: z.strictObject({
    session_id: sessionId,
    command: z.string().optional(),
    input: z.string().optional(),
    data_b64: z.string().optional(),
    append_newline: z.boolean().optional(),
    secret: z.boolean().optional(),
  }),
  read: z.strictObject({
    session_id: sessionId,
    terminal_id: TerminalId.optional(),
    cursor: CursorText.optional(),
    timeout_ms: timeoutMs,
    max_bytes: z.int().min(1).max(MAX_OUTPUT_BYTES).optional(),
  }),
  resize: z.strictObject({ session_id: sessionId, cols: Size.shape.cols, rows: Size.shape.rows }),
  exec: z.strictObject({
    session_id: sessionId,
    use_current: z.boolean().optional(),
    command: commandText.optional(),
    argv: z.array(z.string()).min(1).optional(),
    cwd: z.string().min(1).optional(),
    env: z.record(z.string(), z.string()).optional(),
    timeout_ms: timeoutMs,
    max_output_bytes: z.int().min(MIN_EXEC_BYTES).max(MAX_OUTPUT_BYTES).optional(),
    keep_background: z.boolean().optional(),
  }),
  wait: z.strictObject({
    session_id: sessionId,
    until: z.enum(["output", "exit", "command_end", "prompt", "input_needed"]),
    text: z.string().min(1).optional(),
    cursor: CursorText.optional(),
    timeout_ms: timeoutMs,
  }),
  ask: z.strictObject({
    session_id: sessionId,
    question: InputRequest.shape.prompt.optional(),
    kind: InputRequestKind.optional(),
    choices: InputRequest.shape.choices,
    secret: z.boolean().optional(),
    expires_in_ms: RequestInputInput.shape.expiresInMs,
    ask_id: InputRequest.shape.requestId.optional(),
    withdraw: z.boolean().optional(),
    timeout_ms: timeoutMs,
  }),
  answer: z.strictObject({
    session_id: sessionId,
    terminal_id: TerminalId.optional(),
    ask_id: InputRequest.shape.requestId.optional(),
    answer: AnswerInputInput.shape.text,
    decline: z.boolean().optional(),
    submit: AnswerInputInput.shape.submit,
    note: AnswerInputInput.shape.note,
  }),
};

export type Payload<Name extends keyof typeof PAYLOADS> = z.infer<(typeof PAYLOADS)[Name]>;

/** Names what is asked for. */
export const ControlOperation = z.strictObject(PAYLOADS).keyof();
export type ControlOperation = z.infer<typeof ControlOperation>;

/** What can be asked for by a control file; `invoke` names one of the others. */
export const OPERATION_NAMES = ControlOperation.options;

/** Names before `.json`. */
export const CONTROL_NAMES = [...OPERATION_NAMES, "invoke"] as const;

export type ControlName = (typeof CONTROL_NAMES)[number];

/** What an operation is called in the status, and may be called in `invoke`. */
export const toolNameOf = (operation: ControlOperation): string =>
  operation === "exec" ? "shell_exec" : `terminal_session_${operation}`;

/** Anything else came by `invoke`. */
export const parseControlName = (text: string): ControlName =>
  CONTROL_NAMES.find((name) => name === text) ?? "invoke";

/** May contain secrets: erased once a request has started. */
export const ERASED_NAMES: ReadonlySet<ControlName> = new Set(["write", "answer", "invoke"]);

export const controlFileName = (name: ControlName): string => `${name}.json`;

/** One request, before its own fields were looked at. */
export interface ControlFileRequest {
  /** What the answer is called; undefined where the request says nothing. */
  readonly requestId?: string | undefined;
  readonly operation: ControlOperation;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An empty file is a valid request for these. */
const EMPTY_IS_ENOUGH: ReadonlySet<ControlName> = new Set(["create", "close", "read"]);

type Fields = Readonly<Record<string, unknown>>;

/** The request, or a refusal with as much of it as is known. */
export type ParsedRequest =
  | ({ readonly kind: "request" } & ControlFileRequest)
  | {
      readonly kind: "refused";
      readonly requestId?: string | undefined;
      readonly operation: ControlName;
      readonly error: unknown;
    };

/** Reads what was committed as a request. */
export function parseControlFileRequest(name: ControlName, commit: Commit): ParsedRequest {
  let requestId: string | undefined;
  try {
    const fields = parseFields(name, commit);
    requestId = ControlRequestId.safeParse(fields["request_id"] ?? findInnerId(name, fields)).data;
    const request = name === "invoke" ? parseInvoke(fields) : buildRequest(name, fields);
    return { kind: "request", ...request };
  } catch (error) {
    return { kind: "refused", requestId, operation: name, error };
  }
}

/** The id of an `invoke` may be among its arguments; a refusal is answered under it, too. */
function findInnerId(name: ControlName, fields: Fields): unknown {
  const inner = name === "invoke" ? (fields["arguments"] ?? fields["args"]) : undefined;
  return isObject(inner) ? inner["request_id"] : undefined;
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function parseFields(name: ControlName, commit: Commit): Fields {
  switch (commit.kind) {
    case "object":
      return withoutNulls(parseJsonText(commit.text) as Fields);
    case "empty":
      if (EMPTY_IS_ENOUGH.has(name)) return {};
      throw new NacreError("invalid_argument", `${name}.json is empty`);
    case "noObject":
      throw new NacreError("invalid_argument", `${name}.json is not a whole JSON object`, {
        suggestion: "Write one JSON object in UTF-8; best beside it and then rename it into place.",
      });
    case "refused":
      throw new NacreError("invalid_argument", `${name}.json is not read: ${commit.reason}`, {
        suggestion: "Put a plain file of your own there.",
      });
  }
}

function buildRequest(
  operation: ControlOperation,
  { request_id: id, ...fields }: Fields,
): ControlFileRequest {
  const requestId = parse(ControlRequestId.optional(), id, "request_id");
  return { operation, fields, requestId };
}

const InvokeEnvelope = z.strictObject({
  request_id: z.unknown().optional(),
  op: z.string().optional(),
  operation: z.string().optional(),
  tool_name: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  args: z.record(z.string(), z.unknown()).optional(),
});

/** What `invoke` stands for; a bare command is to be executed. */
function parseInvoke(fields: Fields): ControlFileRequest {
  const isNamed = ["op", "operation", "tool_name", "tool"].some((key) => fields[key] !== undefined);
  if (!isNamed && (fields["command"] !== undefined || fields["argv"] !== undefined)) {
    return buildRequest("exec", fields);
  }
  const envelope = parse(InvokeEnvelope, fields);
  const name = envelope.op ?? envelope.operation ?? envelope.tool_name ?? envelope.tool;
  const operation = OPERATION_NAMES.find((one) => one === name || toolNameOf(one) === name);
  if (operation === undefined) {
    throw invalidArgument("op", "there is no operation of this name", {
      suggestion: `There are ${OPERATION_NAMES.join(", ")}.`,
    });
  }
  const inner = withoutNulls(envelope.arguments ?? envelope.args ?? {});
  const id = envelope.request_id ?? inner["request_id"];
  return buildRequest(operation, { ...inner, request_id: id });
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
