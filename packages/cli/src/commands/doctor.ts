import { NacreError } from "@nacre/contracts";
import type * as HostLibrary from "@nacre/host";
import type { Command } from "../command.ts";
import { parseOptions } from "../parse-options.ts";
import { VERSION } from "../version.ts";

/** Loaded when it is needed, since other commands answer sooner without it. */
type Library = typeof HostLibrary;

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do when it is not ok. */
  readonly advice?: string;
}

/** Looks whether this machine can run terminals, and says what to do where it cannot. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check that this machine can run terminals",
  examples: ["nacre doctor", "nacre doctor --json"],

  async run(args) {
    parseOptions("doctor", args);
    const host = await import("@nacre/host");
    const findings = [
      checkNode(),
      checkPlatform(host),
      checkShells(host),
      await checkTerminal(host),
    ];
    const isHealthy = findings.every(({ ok }) => ok);
    const lines = findings.map(
      ({ check, ok, found, advice }) =>
        `${ok ? "✓" : "✗"} ${check.padEnd(10)} ${found}${advice ? `\n  → ${advice}` : ""}`,
    );
    const verdict = isHealthy ? "Terminals work here." : "Terminals do not work here yet.";
    return {
      result: { healthy: isHealthy, findings },
      text: [...lines, verdict].join("\n"),
      exitCode: isHealthy ? 0 : 1,
    };
  },
};

function checkNode(): Finding {
  const isRecent = Number(process.versions.node.split(".")[0]) >= 24;
  return {
    check: "node",
    ok: isRecent,
    found: process.version,
    ...(isRecent ? {} : { advice: "Older versions lose output; install Node 24 or newer." }),
  };
}

function checkPlatform({ machineProbe, platformInfo }: Library): Finding {
  const { platform, arch, isWSL } = platformInfo(machineProbe());
  return { check: "platform", ok: true, found: `${platform} ${arch}${isWSL ? " (WSL)" : ""}` };
}

function checkShells({ allowedShells, machineProbe, platformInfo }: Library): Finding {
  const probe = machineProbe();
  const { defaultShell } = platformInfo(probe);
  const present = allowedShells(probe).filter((path) => probe.isExecutable(path));
  return { check: "shells", ok: true, found: `${defaultShell} (all: ${present.join(", ")})` };
}

/** Runs a program in a real terminal, since nothing else proves that one can. */
async function checkTerminal(host: Library): Promise<Finding> {
  const check = "terminal";
  try {
    const startedAt = performance.now();
    const driver = await host.choosePtyDriver();
    const request = { command: process.execPath, args: ["-p", "6 * 7"] };
    await using pty = await driver.spawn(
      await host.prepareLaunch(request, host.defaultLaunchPolicy(VERSION)),
    );
    let output = "";
    for (let chunk = await pty.read(); chunk; chunk = await pty.read()) {
      output += Buffer.from(chunk.bytes).toString();
    }
    const { exitCode } = await pty.exited;
    const ms = Math.round(performance.now() - startedAt);
    const ok = exitCode === 0 && output.includes("42");
    const found = `${driver.name} ran a program in ${ms} ms`;
    return ok ? { check, ok, found } : { check, ok, found: `${driver.name} lost its output` };
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return { check, ok: false, found: error.message, advice: error.suggestion };
  }
}
