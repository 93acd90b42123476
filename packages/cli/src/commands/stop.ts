import type { Command, Outcome } from "../command.ts";
import { requireDaemon } from "../context.ts";
import { countPrograms, requireKeeping } from "../keep-programs.ts";

/** With or without its programs; waits until it is gone. */
export const stopCommand: Command = {
  name: "stop",
  section: "daemon",
  summary: "End the daemon and its terminals; recordings stay",
  description:
    "With --keep only the daemon ends: programs run on in the keeper, what they write is kept for up to 8 MiB each, and the next daemon goes on with them. Where no daemon runs, what goes on in the keeper is ended.",
  options: [{ name: "keep", description: "Leave the programs running" }],
  examples: [
    { line: "nacre stop --keep", about: "end only the daemon; the next verb starts another" },
    { line: "nacre stop", about: "end everything, and wait until it has ended" },
  ],

  async run({ isQuiet, options, call }) {
    const { findDaemon, findKeeper, ownDirectories, stopDaemon } = await import("@nacre/host");
    const directories = ownDirectories();
    const keepsPrograms = options.has("keep");
    const keeper = findKeeper(directories);
    const outcome = (pid: number, text: string): Outcome => ({
      result: { pid, keeper: keepsPrograms ? (keeper ?? null) : null },
      text: isQuiet ? "" : text,
    });
    if (keeper && !keepsPrograms && !findDaemon(directories.run)) {
      await stopDaemon(keeper);
      const { pid, programs } = keeper;
      return outcome(
        pid,
        `The keeper with pid ${pid} and its ${countPrograms(programs)} have ended.`,
      );
    }
    const daemon = await requireDaemon();
    const { pid } = daemon;
    const kept = keepsPrograms ? await requireKeeping(directories, call) : 0;
    await stopDaemon(daemon, { keepsPrograms });
    const rest = keepsPrograms ? ` ${countPrograms(kept)} went on.` : "";
    return outcome(pid, `The daemon with pid ${pid} has ended.${rest}`);
  },
};
