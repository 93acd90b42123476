// A line that was left open at a prompt is known after the daemon ended, in whatever way.
import { connectLocal } from "@nacre/client/node";
import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { environmentOf, makeHome } from "../support/nacre-program.ts";

const TEST_MS = 120_000;
const TYPED = "touch X; ";

test.for([
  ["bash", "full"],
  ["zsh", "full"],
  ["fish", "full"],
  ["bash", "off"],
] as const)(
  "%s with input recording %s runs no line behind text that was typed before the daemon was killed",
  { timeout: TEST_MS },
  async ([shell, inputRecording], context) => {
    requireProgram(context, shell);
    await using home = makeHome();
    const env = environmentOf(home.path);
    const one = { home: home.path, env };
    await using daemon = await DaemonProcess.start({ ...one, leavesKeeper: true });
    const create = { shell, inputRecording, workingDirectory: "/tmp" };
    const { open, empty } = await (async () => {
      using client = await connectLocal({ home: home.path });
      const { id } = await client.createTerminal(create);
      const { id: empty } = await client.createTerminal(create);
      for (const one of [id, empty]) await client.runCommand({ id: one, commandLine: "true" });
      await client.sendInput({ id, data: TYPED });
      const until = [{ kind: "text", text: TYPED.trim() } as const];
      expect(await client.waitFor({ id, until, after: 0 })).toMatchObject({ outcome: "text" });
      return { open: id, empty };
    })();
    await daemon.end("SIGKILL");
    await using _next = await DaemonProcess.start(one);
    using client = await connectLocal({ home: home.path });
    await expect(client.runCommand({ id: open, commandLine: "true" })).rejects.toMatchObject({
      code: "conflict",
      message: "text stands at the prompt that nobody has submitted",
    });
    const { outcome } = await client.runCommand({ id: empty, commandLine: "true" });
    expect(outcome).toBe("ended");
  },
);
