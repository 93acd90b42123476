import { RPC_CODES, JsonRpcError } from "../protocol/rpc-error.ts";

/** That there is no channel of this name for the client, or not any more. */
export const channelNotFound = (uri: string): JsonRpcError =>
  new JsonRpcError(RPC_CODES.notFound, `there is no channel ${uri}`, { field: "channel" });
