import type { Command } from "../command.ts";
import { requireDaemon } from "../require-daemon.ts";

/** Ends the daemon and waits until it is gone. */
export const stopCommand: Command = {
  name: "stop",
  section: "daemon",
  summary: "End the daemon and its terminals; recordings stay",
  examples: [{ line: "nacre stop", about: "end it, and wait until it has ended" }],

  async run({ isQuiet }) {
    const daemon = await requireDaemon();
    const { stopDaemon } = await import("@nacre/host");
    await stopDaemon(daemon);
    const { pid } = daemon;
    return { result: { pid }, text: isQuiet ? "" : `The daemon with pid ${pid} has ended.` };
  },
};
