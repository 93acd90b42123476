// How the terminal service tells success and failure; its words are documented and stay in this folder.
import { ERRORS, NacreError } from "@nacre/contracts";
import { jsonReply, type HttpReply, toNacreError } from "../reply.ts";

/** A failure in the words of the terminal service, with what else its clients read. */
export class SessionError extends Error {
  readonly status: number;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/** Success, with what was asked for. */
export const dataReply = (data: unknown): HttpReply => jsonReply(200, { success: true, data });

/** Success, with nothing to say. */
export const successReply = (): HttpReply => jsonReply(200, { success: true });

/** Sessions that ended are gone for this service. */
const NOT_FOUND: ReadonlySet<string> = new Set(["terminal_not_found", "terminal_exited"]);

/** A failure, whatever it is; one that is a bug is thrown on. */
export function failureReply(error: unknown): HttpReply {
  if (error instanceof SessionError) {
    return jsonReply(error.status, { success: false, error: error.message, ...error.more });
  }
  if (error instanceof NacreError && NOT_FOUND.has(error.code)) {
    return failureReply(new SessionError(404, "Session not found"));
  }
  const { code, message, suggestion } = toNacreError(error);
  if (code === "internal") throw error;
  return jsonReply(ERRORS[code].httpStatus, {
    success: false,
    error: message,
    details: suggestion,
    code,
  });
}
