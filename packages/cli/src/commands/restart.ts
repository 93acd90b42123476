import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { isReady } from "../is-ready.ts";
import { countPrograms, requireKeeping } from "../keep-programs.ts";
import { markRestart, readSettings, requireStartable } from "../restart-settings.ts";
import { findOrStartDaemon } from "../start-daemon.ts";
import { VERSION } from "../version.ts";

/** Programs keep running. */
export const restartCommand: Command = {
  name: "restart",
  section: "daemon",
  summary: "End the daemon and start it anew; programs go on",
  description:
    "Programs run on in the keeper, and not a byte of what they write meanwhile is missing. The new daemon gets the options and variables of the old one and listens at the same port, so that whoever was connected comes back by itself. Where no daemon runs, one is started. Use it after an upgrade.",
  examples: [
    { line: "nacre restart", about: "start it anew, and wait until it answers" },
    { line: "nacre restart --json", about: "the same for programs" },
  ],

  async run({ isQuiet, call }) {
    const { findDaemon, findKeeper, ownDirectories, stopDaemon } = await import("@nacre/host");
    const directories = ownDirectories();
    using mark = new DisposableStack();
    const before = findDaemon(directories.run);
    const settings = before && readSettings(before);
    if (before && settings) {
      await requireKeeping(directories, call);
      // Reports wrong settings while the old daemon still runs.
      await requireStartable(settings);
      mark.use(markRestart());
      await stopDaemon(before, { keepsPrograms: true });
    }
    const { socketPath } = await findOrStartDaemon(settings);
    const daemon = findDaemon(directories.run);
    if (!daemon || !(await isReady(socketPath))) {
      throw new NacreError("unavailable", "the daemon was restarted, but does not answer", {
        suggestion: "Look at daemon.log beside the recordings.",
      });
    }
    const keeper = findKeeper(directories);
    const { pid } = daemon;
    const older =
      keeper && keeper.version !== VERSION ? ` The keeper is still of ${keeper.version}.` : "";
    const kept = keeper ? ` ${countPrograms(keeper.programs)} went on.${older}` : "";
    return {
      result: { pid, previousPid: before?.pid ?? null, keeper: keeper ?? null },
      text: isQuiet ? "" : `The daemon runs with pid ${pid}.${before ? kept : ""}`,
    };
  },
};
