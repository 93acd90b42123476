import { NacreError } from "@nacre/contracts/plain";

/** Shown to clients for a bug; the log has the rest. */
export const INTERNAL_ERROR_MESSAGE = "something went wrong in the host";

/** Anything but a NacreError is a bug and reveals nothing, not even as a cause. */
export const toNacreError = (error: unknown): NacreError =>
  error instanceof NacreError ? error : new NacreError("internal", INTERNAL_ERROR_MESSAGE);
