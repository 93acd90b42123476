import { NacreError } from "@nacre/contracts/error";
import { VERSION } from "../version.ts";
import { finding, type Finding, type Library } from "./finding.ts";

const NEEDED_NODE_MAJOR = 24;

export function checkNode(): Finding {
  const isRecent = Number(process.versions.node.split(".")[0]) >= NEEDED_NODE_MAJOR;
  const advice = "Older versions lose output; install Node 24 or newer.";
  return finding("node", process.version, isRecent ? undefined : { state: "wrong", advice });
}

export function checkPlatform({ machineProbe, platformInfo }: Library): Finding {
  const { platform, arch, isWSL } = platformInfo(machineProbe());
  return finding("platform", `${platform} ${arch}${isWSL ? " (WSL)" : ""}`);
}

export function checkShells({ allowedShells, machineProbe, platformInfo }: Library): Finding {
  const probe = machineProbe();
  const { defaultShell } = platformInfo(probe);
  const present = allowedShells(probe).filter((path) => probe.isExecutable(path));
  const advice = "Install a shell, or name one in the setting moreShells.";
  return finding(
    "shells",
    `${defaultShell} (all: ${present.join(", ")})`,
    present.length > 0 ? undefined : { state: "wrong", advice },
  );
}

/** Runs a program in a real terminal, since nothing else proves that one can. */
export async function checkTerminal(host: Library): Promise<Finding> {
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
    if (exitCode === 0 && output.includes("42")) {
      return finding(check, `${driver.name} ran a program in ${ms} ms`);
    }
    const advice = "Report it, with the version of your system.";
    return finding(check, `${driver.name} lost its output`, { state: "wrong", advice });
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return finding(check, error.message, { state: "wrong", advice: error.suggestion });
  }
}
