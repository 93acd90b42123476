import type { ServerContext } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { reportProgress } from "./create-mcp-server.ts";

type Notify = ServerContext["mcpReq"]["notify"];

/** A request as far as progress needs it. */
function requestWith(progressToken?: string) {
  const notify = vi.fn<Notify>(async () => undefined);
  const gone = new AbortController();
  const mcpReq = { notify, signal: gone.signal, _meta: { progressToken } };
  // Nothing else of a request is looked at.
  return { notify, gone, context: { mcpReq } as unknown as Pick<ServerContext, "mcpReq"> };
}

test("who asked is told again and again, until the work is done", async () => {
  const { notify, context } = requestWith("t1");
  {
    using _progress = reportProgress(context, 5);
    await expect.poll(() => notify.mock.calls.length).toBeGreaterThan(1);
  }
  const [first] = notify.mock.calls;
  expect(first?.[0]).toMatchObject({
    method: "notifications/progress",
    params: { progressToken: "t1", message: expect.stringMatching(/^working for/) as string },
  });
});

test("who did not ask is told nothing, and neither is who is gone", async () => {
  const silent = requestWith();
  const left = requestWith("t2");
  const asking = requestWith("t3");
  left.gone.abort();
  using _silent = reportProgress(silent.context, 1);
  using _left = reportProgress(left.context, 1);
  using _asking = reportProgress(asking.context, 1);
  await expect.poll(() => asking.notify.mock.calls.length).toBeGreaterThan(3);
  expect(silent.notify).not.toHaveBeenCalled();
  expect(left.notify).not.toHaveBeenCalled();
});
