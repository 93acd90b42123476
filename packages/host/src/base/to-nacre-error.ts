import { NacreError } from "@nacre/contracts/plain";
import { diskFullError, isOutOfSpace } from "./disk-full.ts";

/** Shown to clients for a bug; the log has the rest. */
export const INTERNAL_ERROR_MESSAGE = "something went wrong in the host";

/** An error that clients may see. Anything but a NacreError and a full disk is a bug and says nothing of itself, not even as a cause. */
export function toNacreError(error: unknown): NacreError {
  if (error instanceof NacreError) return error;
  if (isOutOfSpace(error)) return diskFullError(error);
  return new NacreError("internal", INTERNAL_ERROR_MESSAGE);
}
