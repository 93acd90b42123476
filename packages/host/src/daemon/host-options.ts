import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { addressVariables, type Directories } from "../config/directories.ts";
import type { HostOptions } from "../host.ts";
import { defaultLaunchPolicy } from "../pty/launch.ts";
import type { ProgramLimits } from "../pty/limits/program-limits.ts";
import type { KeeperProcess } from "./keeper-process.ts";
import type { Log } from "./log.ts";

export interface HostOptionsSources {
  readonly config: Config;
  readonly directories: Directories;
  readonly version: string;
  /** For programs: that of whoever started the daemon. */
  readonly umask: number;
  readonly handleTyped: () => void;
  /** Absent: programs run in this process. */
  readonly keeper: KeeperProcess | undefined;
  /** A worker ended by itself. */
  readonly onWorkerExit: (part: string, error: Error) => void;
}

/** Events of the host are logged. */
export function hostOptions(sources: HostOptionsSources, log: Log): HostOptions {
  const { config, directories, version, umask, handleTyped, onWorkerExit, keeper } = sources;
  return {
    directory: join(directories.state, "recordings"),
    ...(keeper ? { driver: keeper.driver("terminal"), pipes: keeper.driver("pipes") } : {}),
    // The keeper has what is not recorded yet, and blocks programs when that is much: nothing is ever missing.
    strict: keeper !== undefined,
    durability: config.durability,
    ...(config.floorBytes === undefined ? {} : { floorBytes: config.floorBytes }),
    policy: {
      ...defaultLaunchPolicy(version),
      allowedRoots: config.allowedRoots,
      moreShells: config.moreShells,
      permittedVariables: config.permittedVariables,
      hostAddress: addressVariables(directories),
      umask,
      limits: { defaults: readProgramLimits(config), cgroups: config.cgroups },
    },
    limits: {
      maxTerminals: config.maxTerminals,
      maxPerOwner: config.maxTerminalsPerOwner,
      maxPerAgent: config.maxTerminalsPerAgent,
    },
    reaping: { exitedAfterMs: config.reapExitedAfterMs, idleAfterMs: config.reapIdleAfterMs },
    handleTyped,
    onWorkerExit,
    ...(keeper ? { lostReason: keeper.lostReason } : {}),
    handleAdopted: ({ adopted, ended, lost }) => {
      if (adopted > 0) log.info("terminals of an earlier daemon go on", { count: adopted });
      if (ended > 0) log.warn("programs that no terminal knows were ended", { count: ended });
      if (lost > 0) log.warn("terminals of an earlier daemon are lost", { count: lost });
    },
    handleReap: (terminalId, reason) => log.info("disposed of a terminal", { terminalId, reason }),
    handleProblem: (terminalId, error) => {
      if (terminalId === undefined) log.error("something failed", { error });
      else log.error("a terminal failed", { terminalId, error });
    },
    handleIndexDamage: (error) =>
      log.warn("the search index is damaged and is being rebuilt", { error }),
    handleDamage: (terminalId, error) => log.error("a recording is damaged", { terminalId, error }),
    handleState: (now) => {
      if (now.state === "ok") log.info("recordings can be written", { state: now.state });
      else {
        const reason = `${now.reason}: ${now.message}`;
        log.warn("recordings cannot be written", { state: now.state, reason });
      }
    },
    handleStorage: ({ state, reason }) => {
      if (state === "low") log.warn("the disk runs low", { state, reason });
    },
  };
}

/** An explicit 0 differs from absent. */
const readProgramLimits = (config: Config): ProgramLimits => ({
  maxProcesses: config.limitProcesses,
  maxMemoryBytes: config.limitMemoryBytes,
  maxCpus: config.limitCpus,
  maxCpuSeconds: config.limitCpuSeconds,
  maxOpenFiles: config.limitOpenFiles,
});
