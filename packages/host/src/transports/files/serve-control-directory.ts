import { homedir } from "node:os";
import { type Caller, type EntityEventsMessage, HOST_ID, StorageInfo } from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import { ControlService } from "./control-service.ts";
import { type ControlLimits, DEFAULT_CONTROL_LIMITS } from "./control-limits.ts";
import type { ControlOperations } from "./session-operations.ts";

export interface ControlDirectoryOptions {
  /** Created where there is none; what the agent knows as its terminal service. */
  readonly directory: string;
  /** Everything in the directory is done as this caller. */
  readonly caller: Caller;
  readonly operations: ControlOperations;
  /** A problem without a request, such as a directory that others can reach. */
  readonly handleProblem: (error: unknown) => void;
  readonly limits?: Partial<ControlLimits> | undefined;
  /** Without terminals there is only `exec`. */
  readonly hasTerminals?: boolean | undefined;
}

/** Until disposed; an invalid directory is retried. */
export async function serveControlDirectory(
  options: ControlDirectoryOptions,
): Promise<AsyncDisposable> {
  const { directory, caller, operations, handleProblem, limits, hasTerminals = true } = options;
  const stopping = new AbortController();
  const context: CallContext = { caller, via: "files", signal: stopping.signal };
  const service = new ControlService({
    directory,
    caller,
    baseDirectory: caller.roots?.[0] ?? homedir(),
    call: (name, input) => operations.call(name, input, context),
    limits: { ...DEFAULT_CONTROL_LIMITS, ...limits },
    hasTerminals,
    stopping,
    handleProblem,
  });
  await service.start();
  const followed = followStorage(operations, context, (storage) => service.noteStorage(storage));
  void followed.catch((error: unknown) => {
    if (!stopping.signal.aborted) handleProblem(error);
  });
  return service;
}

/** Now and on every change. */
async function followStorage(
  operations: ControlOperations,
  context: CallContext,
  handleStorage: (storage: StorageInfo) => Promise<void>,
): Promise<void> {
  const channel = [`${HOST_ID}.storage.changed`];
  using events = await operations.follow?.("entityEvents", { channel }, context);
  if (!events) return;
  const read = async (): Promise<StorageInfo> =>
    (await operations.call("readHost", {}, context)).storage;
  await handleStorage(await read());
  for await (const message of events) await handleStorage(parseStorage(message) ?? (await read()));
}

function parseStorage(message: EntityEventsMessage): StorageInfo | undefined {
  return message.type === "event" ? StorageInfo.parse(message.event.payload) : undefined;
}
