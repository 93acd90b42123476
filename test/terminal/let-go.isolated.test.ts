import { expect, test, vi } from "vitest";
import { createHost } from "../../packages/host/src/host.ts";
import { echoPty } from "../../packages/host/src/pty/testing/echo-pty.ts";
import { OutputPipeline } from "../../packages/host/src/terminal/output-pipeline.ts";

test("a terminal whose output cannot be recorded is let go all the same", async () => {
  await using host = await createHost({ driver: echoPty });
  const owner = { entityName: "Task", entityId: "7" };
  await host.createTerminal({ owner, workingDirectory: "/", command: "/bin/cat" });
  const recording = vi
    .spyOn(OutputPipeline.prototype, "detach")
    .mockReturnValue(new Promise(() => {}));
  try {
    await host.registry.detach((error) => expect.fail(String(error)));
    expect(recording).toHaveBeenCalledOnce();
    expect(host.registry.list()).toEqual([]);
  } finally {
    recording.mockRestore();
  }
});
