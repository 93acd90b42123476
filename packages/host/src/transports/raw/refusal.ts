import { type ErrorCode, NacreError } from "@nacre/contracts";
import { CLOSE_CODES, type ClientSocket } from "../../socket/client-socket.ts";

/** What went wrong in words that a client may see: a bug says nothing of itself. */
export const toClientError = (error: unknown): NacreError =>
  error instanceof NacreError
    ? error
    : new NacreError("internal", "something went wrong here", { cause: error });

/** Closes a socket whose terminal cannot be shown, or no longer. */
export function closeRefused(socket: ClientSocket, { code, message }: NacreError): void {
  socket.close(CLOSE_CODE_BY_ERROR[code] ?? CLOSE_CODES.internal, `${code}: ${message}`);
}

const CLOSE_CODE_BY_ERROR: Readonly<Partial<Record<ErrorCode, number>>> = {
  terminal_not_found: CLOSE_CODES.notFound,
  recording_not_found: CLOSE_CODES.notFound,
  forbidden: CLOSE_CODES.forbidden,
  unauthenticated: CLOSE_CODES.forbidden,
  invalid_argument: CLOSE_CODES.invalid,
  conflict: CLOSE_CODES.invalid,
  unavailable: CLOSE_CODES.tryAgain,
  limit_reached: CLOSE_CODES.tryAgain,
};
