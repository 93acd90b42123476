import { RPC_CODES, RpcError } from "../protocol/rpc-error.ts";

/** That there is no channel of this name for the client, or not any more. */
export const unknownChannel = (uri: string): RpcError =>
  new RpcError(RPC_CODES.notFound, `there is no channel ${uri}`, { field: "channel" });
