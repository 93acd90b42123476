import { type OperationName, OPERATIONS } from "@nacre/contracts";
import { z } from "zod";
import { parseParams } from "../protocol/params.ts";
import { RPC_CODES, JsonRpcError } from "../protocol/rpc-error.ts";
import { isRoot, ROOT_URI } from "../protocol/uri.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { refuseAddress } from "./terminal-requests.ts";

/** What the names of operations have before them where they are requests of this protocol. */
export const EXTENSION_PREFIX = "x-nacre/";

/** What such a request says: the terminal it is about, if any, and what its operation takes. */
const ExtensionParams = z.object({
  channel: z.string().default(ROOT_URI),
  input: z.record(z.string(), z.unknown()).optional(),
});

/** What operations call the terminal they are about, where that is not `id`. */
const TERMINAL_FIELDS: ReadonlyMap<OperationName, string> = new Map([
  ["findRecordingEntries", "terminalId"],
]);

/** Operations whose answers can be large; none of them waits for something to happen. */
const LARGE_ANSWERS: ReadonlySet<OperationName> = new Set([
  "findRecordingEntries",
  "searchRecordings",
  "listRecordings",
  "listCommands",
  "listTerminals",
  "listAudit",
  "readCommand",
  "readOutput",
  "readScreen",
]);

/** Whether the answer of an operation can be large. */
export const hasLargeAnswer = (name: OperationName): boolean => LARGE_ANSWERS.has(name);

const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

/** The operation that a request stands for; nothing when it is none. */
export function parseOperation(method: string): OperationName | undefined {
  const name = method.startsWith(EXTENSION_PREFIX) ? method.slice(EXTENSION_PREFIX.length) : "";
  return isOperation(name) ? name : undefined;
}

/** Does an operation; on the channel of a terminal its id need not be said. */
export async function callOperation(
  { parts }: ConnectedClient,
  name: OperationName,
  params: unknown,
): Promise<unknown> {
  const { channel, input = {} } = parseParams(ExtensionParams, params);
  if (name === "createTerminal") refuseAddress(input["owner"], "input.owner");
  const { agentHost, operations, context } = parts;
  if (isRoot(channel)) return await operations.call(name, input, context);
  const id = agentHost.findTerminal(channel, context);
  if (id === undefined)
    throw new JsonRpcError(RPC_CODES.notFound, "channel: there is no such terminal");
  const field = TERMINAL_FIELDS.get(name) ?? "id";
  return await operations.call(name, { [field]: id, ...input }, context);
}
