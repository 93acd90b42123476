import { createSecureContext } from "node:tls";
import { NacreError } from "@nacre/contracts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import { WIRE_VERSION } from "../keeper/frames.ts";
import { type BindAddress, decideBind } from "./bind-rules.ts";
import { readLiveManifest } from "./keeper-process.ts";
import { readTlsFiles, type TlsFiles } from "./tls-files.ts";

/** Refuses settings that no daemon can start with, as far as that shows before anything is started. */
export function checkStart(config: Config): {
  readonly tls: TlsFiles | undefined;
  readonly bind: BindAddress;
} {
  const tls = readTlsFiles(config);
  const isRoot = process.getuid?.() === 0;
  const { host, behindProxy } = config;
  return { tls, bind: decideBind({ host, behindProxy, hasTls: tls !== undefined, isRoot }) };
}

/** Refuses settings with which the successor of a running daemon could not start, or not go on with its programs. */
export function checkRestart(config: Config, directories: Directories): void {
  const { tls } = checkStart(config);
  if (tls) checkCertificate(tls);
  if (!config.keeper) return requireNoPrograms(directories);
  const wireVersion = readLiveManifest(directories)?.keeper.wireVersion ?? WIRE_VERSION;
  if (wireVersion === WIRE_VERSION) return;
  throw new NacreError("unsupported", "this version cannot go on with the programs in the keeper", {
    suggestion: "Let them end, or end them with `nacre stop`; then start this version.",
    details: { wireVersion },
  });
}

/** Without a keeper nobody could go on with the programs of one. */
export function requireNoPrograms(directories: Directories): void {
  const note = readLiveManifest(directories);
  if (!note || note.programs.length === 0) return;
  const message = `programs still run in the keeper with pid ${note.keeper.pid}, and the setting keeper is off`;
  throw new NacreError("conflict", message, {
    suggestion: "End them with `nacre stop`, or leave the setting keeper on.",
  });
}

function checkCertificate(tls: TlsFiles): void {
  try {
    createSecureContext(tls);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the certificate and its key cannot be used: ${reason}`;
    throw new NacreError("invalid_argument", message, { field: "tlsCert", cause });
  }
}
