import { NacreError } from "@nacre/contracts/plain";

/** What clients are told of a bug; the log has the rest. */
export const INTERNAL_ERROR_MESSAGE = "something went wrong in the host";

/** An error that clients may see. Anything but a NacreError is a bug and says nothing of itself, not even as a cause. */
export const toNacreError = (error: unknown): NacreError =>
  error instanceof NacreError ? error : new NacreError("internal", INTERNAL_ERROR_MESSAGE);
