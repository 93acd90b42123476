import { setTimeout as sleep } from "node:timers/promises";
import { type McpServer, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { NacreError, type OutputPosition, type TerminalId } from "@nacre/contracts";
import type { OperationCaller } from "./operation-caller.ts";
import { readEndPosition } from "./read-shown.ts";
import { type ToolCall, createToolCall } from "./tool.ts";

/** A terminal that floods changes all the time; nobody reads it more often than this. */
const UPDATE_MS = 500;

/** A daemon that was restarted is there again in about this time. */
const RETRY_MS = 1000;

/** How long one look at the output waits for more. */
const POLL_WAIT_MS = 60_000;

/** More than this nobody follows at the same time. */
const MAX_FOLLOWED = 64;

/** Tells a client whose connection lasts when something has changed that it subscribed to. */
export function notifyUpdates(
  server: McpServer,
  caller: OperationCaller,
  terminalOf: (uri: string) => TerminalId | undefined,
): void {
  const followed = new Map<string, AbortController>();
  const leave = (uri: string): void => {
    followed.get(uri)?.abort();
    followed.delete(uri);
  };
  const tell = (uri: string): Promise<void> => server.server.sendResourceUpdated({ uri });
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const id = terminalOf(uri);
    if (id === undefined) throw new ResourceNotFoundError(uri);
    if (!followed.has(uri) && followed.size >= MAX_FOLLOWED) {
      throw new NacreError("limit_reached", `${followed.size} resources are followed already`);
    }
    leave(uri);
    const leaving = new AbortController();
    followed.set(uri, leaving);
    const call = createToolCall(caller, leaving.signal);
    const from = await readEndPosition(call, id).catch(() => undefined);
    if (from === undefined) {
      leave(uri);
      throw new ResourceNotFoundError(uri);
    }
    // Who has left is told nothing, and neither is who follows what is gone.
    void followOutput(call, { id, from, changed: () => tell(uri) }).catch(() => undefined);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    leave(uri);
    return {};
  });
  server.server.onclose = () => {
    for (const uri of followed.keys()) leave(uri);
  };
}

interface FollowOptions {
  readonly id: TerminalId;
  readonly from: OutputPosition;
  readonly changed: () => Promise<void>;
}

/** Tells of output until the program has ended or nobody listens any more. */
async function followOutput(call: ToolCall, { id, from, changed }: FollowOptions): Promise<void> {
  let position = from;
  while (!call.signal.aborted) {
    try {
      const asked = { id, position, maxBytes: 1, waitMs: POLL_WAIT_MS };
      const { data, ended } = await call.ask("readOutput", asked);
      if (data === "" && !ended) continue;
      position = await readEndPosition(call, id);
      await changed();
      if (ended) return;
      await sleep(UPDATE_MS, undefined, { signal: call.signal });
    } catch (error) {
      const isAway = error instanceof NacreError && error.code === "unavailable";
      if (!isAway || call.signal.aborted) throw error;
      await sleep(RETRY_MS, undefined, { signal: call.signal });
    }
  }
}
