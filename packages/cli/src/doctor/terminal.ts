import { basename } from "node:path";
import { NacreError } from "@nacre/contracts/error";
import type { Host } from "@nacre/host";
import { VERSION } from "../version.ts";
import { finding, type Finding, type Library } from "./finding.ts";

/** With full shell integration. */
const KNOWN: ReadonlySet<string> = new Set(["bash", "zsh", "fish"]);

/** Long start-up files take a while. */
const MAX_WAIT_MS = 15_000;

/** Runs a command in each shell and checks that the shell reported it. */
export async function checkMarkers(library: Library): Promise<readonly Finding[]> {
  const probe = library.machineProbe();
  const paths = library.allowedShells(probe).filter((path) => probe.isExecutable(path));
  const known = paths.filter((path) => KNOWN.has(basename(path)));
  const shells = new Map(known.map((path) => [basename(path), path]));
  try {
    await using host = await library.createHost();
    return await Promise.all(
      [...shells].map(([name, path]) => checkShell(library, host, { name, path })),
    );
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    // The check before said why.
    return [];
  }
}

async function checkShell(
  { LOCAL_CALLER }: Library,
  host: Host,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<Finding> {
  const check = `${name} marks`;
  const advice = `Commands of ${name} can only be guessed. Look whether its start-up files replace it or take away the hooks of its prompt.`;
  try {
    const owner = { entityName: "System", entityId: "doctor" };
    const { row } = await host.createTerminal({ owner, workingDirectory: "/", shell: path });
    const { outcome, command } = await host.operations.call(
      "runCommand",
      { id: row.id, commandLine: "true", timeoutMs: MAX_WAIT_MS },
      { caller: LOCAL_CALLER, via: "library" },
    );
    const isKnown = outcome === "ended" && command?.quality === "exact";
    const found = isKnown
      ? `flow, with proof: a command took ${command.durationMs ?? 0} ms and gave ${command.exitCode ?? "?"}`
      : `do not flow (${outcome})`;
    return finding(check, found, isKnown ? undefined : { state: "warning", advice });
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    return finding(check, error.message, { state: "warning", advice });
  }
}

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

/** Runs a program in a real terminal: nothing else proves that it works. */
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
