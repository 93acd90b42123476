import type { CallToolResult } from "@modelcontextprotocol/server";
import { NacreError } from "@nacre/contracts";
import { readableText } from "./readable-text.ts";

/** What tools call the fields of operations. */
const TOLD_FIELDS: Readonly<Record<string, string>> = {
  id: "terminal_id",
  terminalId: "terminal_id",
  workingDirectory: "cwd",
  commandLine: "command",
  commandId: "command_id",
  data: "text",
  label: "prompt",
  maxOutputBytes: "max_output_bytes",
  timeoutMs: "timeout_ms",
};

/** A failure as the result of a tool, which a model can read and act on. */
export function errorResult(error: NacreError): CallToolResult {
  const { code, message, field, suggestion } = error;
  const told = {
    code,
    message: readableText(message),
    ...(field === undefined ? {} : { field: TOLD_FIELDS[field] ?? field }),
    suggestion: readableText(suggestion),
  };
  return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: told }) }] };
}

/** A failure the caller can act on, or the one that stands for all others. */
export const asNacreError = (error: unknown): NacreError =>
  error instanceof NacreError
    ? error
    : new NacreError("internal", "the tool failed", { cause: error });
