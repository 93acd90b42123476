import { NacreError } from "@nacre/contracts/error";

/** The command may be running, and must not be run again. */
export function execInDoubt(terminalId: string, cause: unknown): NacreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new NacreError("unavailable", `${why}; the command may run on as ${terminalId}`, {
    cause,
    details: { terminalId },
    suggestion:
      "Do not run it again under another id: the same request with this id waits for its result, and its terminal can be read.",
  });
}

/** The shell may be running it, and would run it again. */
export function runInDoubt(
  terminalId: string,
  cause: unknown,
  suggestion = "Do not run it again: wait for the end of the command in this terminal, or read what it wrote.",
): NacreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new NacreError("unavailable", `${why}; the command may go on in ${terminalId}`, {
    cause,
    details: { terminalId },
    suggestion,
  });
}

/** The request may have been executed. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof NacreError && error.code === "unavailable" && !neverArrived(error);

/** Nobody received it, so nothing can have been done. */
export function neverArrived(error: unknown): boolean {
  for (let reason = error; reason instanceof Error; reason = reason.cause) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED" || code === "ENOENT") return true;
  }
  return false;
}
