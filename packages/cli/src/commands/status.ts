import { ERRORS } from "@nacre/contracts";
import { isReady } from "../is-ready.ts";
import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { safeText } from "../print.ts";
import { requireDaemon } from "../require-daemon.ts";

/** Says whether the daemon runs, and how to reach it. */
export const statusCommand: Command = {
  name: "status",
  summary: "Say whether the daemon runs, and how to reach it",
  examples: ["nacre status", "nacre status --json"],

  async run(args) {
    parseOptions("status", args);
    const { pid, endpoints, token, home, version, startedAt } = await requireDaemon();
    const state = (await isReady(endpoints.socket)) ? "ready" : "unresponsive";
    const url = `${endpoints.http.url}#token=${token}`;
    const { socket } = endpoints;
    const lines = [
      `state   ${state}`,
      `pid     ${pid}, since ${startedAt}`,
      `url     ${safeText(url)}`,
      `socket  ${safeText(socket)}`,
      `home    ${safeText(home)}`,
      `version ${safeText(version)}`,
    ];
    return {
      result: { state, pid, keeperPid: null, url, socket, home, version, startedAt },
      text: lines.join("\n"),
      exitCode: state === "ready" ? 0 : ERRORS.unavailable.cliExitCode,
    };
  },
};
