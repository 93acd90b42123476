import type { CallToolResult } from "@modelcontextprotocol/server";
import { NacreError } from "@nacre/contracts";
import { readableText } from "./readable-text.ts";

/** A failure as the result of a tool, which a model can read and act on. */
export function errorResult(error: NacreError): CallToolResult {
  const { code, message, field, suggestion } = error;
  const told = {
    code,
    message: readableText(message),
    ...(field === undefined ? {} : { field }),
    suggestion: readableText(suggestion),
  };
  return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: told }) }] };
}

/** A failure the caller can act on, or the one that stands for all others. */
export const asNacreError = (error: unknown): NacreError =>
  error instanceof NacreError
    ? error
    : new NacreError("internal", "the tool failed", { cause: error });
