import { safeLines, safeText } from "@nacre/client/ui";
import { quickCaller } from "@nacre/client/quick";
import type { StorageInfo } from "@nacre/contracts";
import { ERRORS } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { requireDaemon } from "../context.ts";
import { storageWarning } from "../describe.ts";
import { wordsOf } from "../earlier-options.ts";
import { isReady } from "../is-ready.ts";
import { keeperWords } from "../keep-programs.ts";

export const statusCommand: Command = {
  name: "status",
  section: "daemon",
  summary: "Say whether the daemon runs, and how to reach it",
  description:
    "It is not started for that: exit code 7 says that none runs, or that it does not answer; the state `degraded` that nothing can be recorded now. The address has the token of the operator in it. `given` is what the last `nacre serve` was given, which every daemon that a verb starts has too.",
  examples: [
    { line: "nacre status", about: "whether it runs, and where" },
    { line: "nacre status --json", about: "the same for programs" },
  ],

  async run() {
    const { pid, endpoints, token, home, version, startedAt } = await requireDaemon();
    const answers = await isReady(endpoints.socket);
    const storage = answers ? await readStorage(endpoints) : undefined;
    const state = answers ? (isBlocked(storage) ? "degraded" : "ready") : "unresponsive";
    const url = `${endpoints.http.url}#token=${token}`;
    const { socket } = endpoints;
    const { findKeeper, ownDirectories, readServeOptions } = await import("@nacre/host");
    const keeper = findKeeper(ownDirectories());
    const earlier = readServeOptions(ownDirectories());
    const given = earlier ? wordsOf(earlier) : [];
    const lines = [
      `state   ${state}`,
      `pid     ${pid}, since ${startedAt}`,
      `url     ${safeText(url)}`,
      `socket  ${safeText(socket)}`,
      `home    ${safeText(home)}`,
      `version ${safeText(version)}`,
      `keeper  ${keeper ? safeText(keeperWords(keeper)) : "none"}`,
      ...(given.length > 0 ? [`given   ${safeText(given.join(" "))}`] : []),
      ...portLines(endpoints.http),
      ...warningLines(storage),
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
        given,
        storage: storage ?? null,
      },
      text: lines.join("\n"),
      exitCode: state === "unresponsive" ? ERRORS.unavailable.cliExitCode : 0,
    };
  },
};

/** An older daemon does not say. */
async function readStorage({
  socket,
}: {
  readonly socket: string;
}): Promise<StorageInfo | undefined> {
  return (await quickCaller({ socketPath: socket })("readHost", {})).storage;
}

const isBlocked = (storage: StorageInfo | undefined): boolean =>
  storage?.state === "full" || storage?.state === "failing";

function portLines({ takenPort }: { readonly takenPort?: number | undefined }): readonly string[] {
  if (takenPort === undefined) return [];
  return [`note    another program has port ${takenPort}; \`nacre serve --port N\` chooses one`];
}

function warningLines(storage: StorageInfo | undefined): readonly string[] {
  const warning = storage && storageWarning(storage);
  return warning === undefined ? [] : ["", safeLines(warning)];
}
