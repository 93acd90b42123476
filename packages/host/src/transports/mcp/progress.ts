import type { ServerContext } from "@modelcontextprotocol/server";

/** How often somebody who asked to be told is told that a tool still works. */
const PROGRESS_MS = 1000;

const MS_PER_SECOND = 1000;

/** Tells a client that asked for it that its request is still worked on, until it is disposed. */
export function reportProgress(
  { mcpReq }: Pick<ServerContext, "mcpReq">,
  intervalMs: number = PROGRESS_MS,
): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  const since = performance.now();
  const tell = (): void => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    const progress = (performance.now() - since) / MS_PER_SECOND;
    const message = `working for ${Math.round(progress)} s`;
    const params = { progressToken, progress, message };
    // A client that is gone is not told anything, which is no failure of the tool.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const timer = progressToken === undefined ? undefined : setInterval(tell, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
