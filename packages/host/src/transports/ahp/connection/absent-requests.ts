// What clients of hosts with agents ask for; a host of terminals has defined answers to it.
import { invalidParams, RPC_CODES, JsonRpcError } from "../protocol/rpc-error.ts";

const noProvider = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.providerNotFound, "this host has terminals but no agents");

const noSession = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.sessionNotFound, "this host has terminals but no sessions of agents");

const noAccess = (): JsonRpcError =>
  new JsonRpcError(RPC_CODES.permissionDenied, "this host hands out no resources");

const nothingProtected = (): JsonRpcError =>
  invalidParams("resource", "nothing of this host is protected by it");

const REFUSALS: ReadonlyMap<string, () => JsonRpcError> = new Map([
  ...["createSession", "resolveSessionConfig", "sessionConfigCompletions"].map(
    (method) => [method, noProvider] as const,
  ),
  ...[
    "disposeSession",
    "createChat",
    "disposeChat",
    "fetchTurns",
    "completions",
    "invokeChangesetOperation",
  ].map((method) => [method, noSession] as const),
  ["resourceRequest", noAccess],
  ["authenticate", nothingProtected],
]);

/** Why a request that this host has no answer to fails. */
export function unsupportedRequest(method: string): JsonRpcError {
  const refuse = REFUSALS.get(method);
  return refuse?.() ?? new JsonRpcError(RPC_CODES.methodNotFound, "this host has no such method");
}
