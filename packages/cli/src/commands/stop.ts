import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { requireDaemon } from "../require-daemon.ts";

/** Ends the daemon and waits until it is gone. */
export const stopCommand: Command = {
  name: "stop",
  summary: "End the daemon and its terminals; recordings stay",
  examples: ["nacre stop"],

  async run(args) {
    parseOptions("stop", args);
    const daemon = await requireDaemon();
    const { stopDaemon } = await import("@nacre/host");
    await stopDaemon(daemon);
    const { pid } = daemon;
    return { result: { pid }, text: `The daemon with pid ${pid} has ended.`, exitCode: 0 };
  },
};
