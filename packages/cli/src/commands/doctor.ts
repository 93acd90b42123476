import { safeText } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { checkDaemon } from "../doctor/daemon.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkFiles, checkLimits, checkMachine } from "../doctor/machine.ts";
import {
  checkMarkers,
  checkNode,
  checkPlatform,
  checkShells,
  checkTerminal,
} from "../doctor/terminal.ts";

/** Checks whether this machine can run terminals, with advice where it cannot. */
export const doctorCommand: Command = {
  name: "doctor",
  section: "daemon",
  summary: "Check that terminals work here, and say what to do where they do not",
  description:
    "Runs a program in a real terminal and a command in each shell; looks at the files of the daemon, at limits and at settings of the kernel. Changes nothing.",
  examples: [
    { line: "nacre doctor", about: "every check, and what to do where one fails" },
    { line: "nacre doctor --json", about: "the same for programs" },
  ],
  exitCodes: [["1", "something does not work"]],

  async run({ isQuiet, style }) {
    const host = await import("@nacre/host");
    const findings: Finding[] = [
      checkNode(),
      checkPlatform(host),
      checkShells(host),
      await checkTerminal(host),
      ...(await checkMarkers(host)),
      ...(await checkDaemon(host)),
      ...checkFiles(host),
      ...checkMachine(),
      checkLimits(host),
    ];
    const isHealthy = findings.every(({ state }) => state !== "wrong");
    const signs = { ok: style.green("✓"), warning: style.yellow("!"), wrong: style.red("✗") };
    const lines = findings
      .filter(({ state }) => !isQuiet || state !== "ok")
      .map(({ check, state, found, advice }) => {
        const next = advice === undefined ? "" : `\n  → ${safeText(advice)}`;
        return `${signs[state]} ${check.padEnd(12)} ${safeText(found)}${next}`;
      });
    const verdict = isHealthy ? "Terminals work here." : "Terminals do not work here yet.";
    return {
      result: { healthy: isHealthy, findings },
      text: [...lines, ...(isQuiet ? [] : [verdict])].join("\n"),
      exitCode: isHealthy ? 0 : 1,
    };
  },
};
