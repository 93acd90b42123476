import { type EntityEventsMessage, HOST_ID, StorageInfo } from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import type { ControlOperations } from "./operation-context.ts";

/** Tells what the disk of the recordings is like, now and whenever that changes, until the context is aborted. */
export async function followStorage(
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
