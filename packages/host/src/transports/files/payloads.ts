// What each control file takes. A field that is null counts as absent; one that is unknown is refused.
import {
  AnswerInputInput,
  InputRequest,
  InputRequestKind,
  MAX_OUTPUT_BYTES,
  MAX_WAIT_MS,
  RequestInputInput,
  Size,
  TerminalId,
} from "@nacre/contracts";
import { z } from "zod";

/** How long a command may take when nobody says. */
export const DEFAULT_EXEC_TIMEOUT_MS = 30_000;

/** How long a reader waits for the first byte when nobody says. */
export const DEFAULT_READ_TIMEOUT_MS = 100;

/** How much is read at once when nobody says. */
export const DEFAULT_READ_BYTES = 65_536;

/** Fewer bytes make no excerpt. */
const MIN_EXEC_BYTES = 256;

/** Names of sessions: safe wherever they are shown, and never the name of a file. */
export const SessionId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "expected 1 to 64 letters, digits, `_` or `-` that begin with a letter or digit",
  );

/** Names of requests: each is the name of the file with its answer. */
export const ControlRequestId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/,
    "expected 1 to 128 letters, digits, `_` or `-` that begin with a letter or digit",
  );

/** Where a reader is, as answers say it. */
export const CursorText = z
  .string()
  .regex(/^\d{1,15}(?:\.\d{1,15})?$/, "expected a cursor from an earlier answer");

const timeoutMs = z.int().min(0).max(MAX_WAIT_MS).optional();
const sessionId = SessionId.optional();
const base64 = z.string();

/** Text for a shell; other control characters would be keys that somebody presses. */
const commandText = z
  .string()
  .min(1)
  // oxlint-disable-next-line no-control-regex -- refusing these control characters is the purpose
  .regex(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/, {
    message:
      "must not contain control characters other than line feeds and tabs; type them with write.json",
  });

/** What each operation takes. */
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
    data_b64: base64.optional(),
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

/** What an operation takes, by its name. */
export type Payload<Name extends keyof typeof PAYLOADS> = z.infer<(typeof PAYLOADS)[Name]>;
