import { ERRORS } from "@nacre/contracts/error";
import { isReady } from "../is-ready.ts";
import type { Command } from "../command.ts";
import { keeperWords } from "../keep-programs.ts";
import { safeText } from "../print.ts";
import { requireDaemon } from "../require-daemon.ts";

/** Says whether the daemon runs, and how to reach it. */
export const statusCommand: Command = {
  name: "status",
  section: "daemon",
  summary: "Say whether the daemon runs, and how to reach it",
  description:
    "It is not started for that: exit code 7 says that none runs, or that it does not answer. The address has the token of the operator in it.",
  examples: [
    { line: "nacre status", about: "whether it runs, and where" },
    { line: "nacre status --json", about: "the same for programs" },
  ],

  async run() {
    const { pid, endpoints, token, home, version, startedAt } = await requireDaemon();
    const state = (await isReady(endpoints.socket)) ? "ready" : "unresponsive";
    const url = `${endpoints.http.url}#token=${token}`;
    const { socket } = endpoints;
    const { findKeeper, ownDirectories } = await import("@nacre/host");
    const keeper = findKeeper(ownDirectories());
    const lines = [
      `state   ${state}`,
      `pid     ${pid}, since ${startedAt}`,
      `url     ${safeText(url)}`,
      `socket  ${safeText(socket)}`,
      `home    ${safeText(home)}`,
      `version ${safeText(version)}`,
      `keeper  ${keeper ? safeText(keeperWords(keeper)) : "none"}`,
      ...portLines(endpoints.http),
    ];
    return {
      result: {
        state,
        pid,
        keeperPid: keeper?.pid ?? null,
        keeper: keeper ?? null,
        url,
        socket,
        home,
        version,
        startedAt,
      },
      text: lines.join("\n"),
      exitCode: state === "ready" ? 0 : ERRORS.unavailable.cliExitCode,
    };
  },
};

function portLines({ takenPort }: { readonly takenPort?: number | undefined }): readonly string[] {
  if (takenPort === undefined) return [];
  return [`note    another program has port ${takenPort}; \`nacre serve --port N\` chooses one`];
}
