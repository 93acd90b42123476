import { basename } from "node:path";
import { NacreError } from "@nacre/contracts/error";
import type { Host } from "@nacre/host";
import { finding, type Finding, type Library } from "./finding.ts";

/** Shells that report their commands. */
const KNOWN: ReadonlySet<string> = new Set(["bash", "zsh", "fish"]);

/** A shell with long start-up files takes a while. */
const MAX_WAIT_MS = 15_000;

/** Runs a command in each shell and looks whether the shell reported it. */
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
    // Why no terminal can be opened was said by the check before.
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
