import { readFileSync } from "node:fs";
import { isIPv4, isIPv6 } from "node:net";
import { createSecureContext } from "node:tls";
import { invalidArgument, NacreError } from "@nacre/contracts";
import type { Config } from "../config/config.ts";
import type { Directories } from "../config/directories.ts";
import { WIRE_VERSION } from "../keeper/frames.ts";
import { readLiveManifest } from "./keeper-process.ts";

export interface BindRequest {
  /** An IP address, or `localhost`. */
  readonly host: string;
  readonly hasTls: boolean;
  readonly behindProxy: boolean;
  readonly isRoot: boolean;
}

export interface BindAddress {
  readonly address: string;
  readonly isLoopback: boolean;
}

/** Refuses an address that others can reach without TLS or a TLS proxy, and always as root. */
export function decideBind(question: BindRequest): BindAddress {
  const address = question.host === "localhost" ? "127.0.0.1" : question.host;
  if (!isIPv4(address) && !isIPv6(address)) {
    throw bindError("invalid_argument", `host ${question.host} is no IP address`, LOOPBACK_ADVICE);
  }
  if (isLoopback(address)) return { address, isLoopback: true };
  if (question.isRoot) {
    throw bindError(
      "forbidden",
      `as root the daemon listens on loopback only, not on ${address}`,
      "Run it as another user, or leave --host out.",
    );
  }
  if (!question.hasTls && !question.behindProxy) {
    throw bindError(
      "forbidden",
      `others can reach ${address}, and what they send could be read on the way`,
      "Add --tls-cert and --tls-key, or --behind-proxy where a proxy has them; or leave --host out.",
    );
  }
  return { address, isLoopback: false };
}

const LOOPBACK_ADVICE = "Name an address such as 127.0.0.1 or ::1.";

function isLoopback(address: string): boolean {
  if (isIPv4(address)) return address.startsWith("127.");
  // Other spellings of ::1 are refused like any address, which is safe.
  return address === "::1";
}

function bindError(
  code: "invalid_argument" | "forbidden",
  message: string,
  suggestion: string,
): NacreError {
  return new NacreError(code, message, { field: "host", suggestion });
}

/** Refuses settings that cannot work, before anything is started. */
export function checkStart(config: Config): {
  readonly tls: TlsFiles | undefined;
  readonly bind: BindAddress;
} {
  const tls = readTlsFiles(config);
  const isRoot = process.getuid?.() === 0;
  const { host, behindProxy } = config;
  return { tls, bind: decideBind({ host, behindProxy, hasTls: tls !== undefined, isRoot }) };
}

/** Refuses settings with which the successor could not start, or not continue with the programs. */
export function checkRestart(config: Config, directories: Directories): void {
  const { tls } = checkStart(config);
  if (tls) checkCertificate(tls);
  if (!config.keeper) return requireNoPrograms(directories);
  const wireVersion = readLiveManifest(directories)?.keeper.wireVersion ?? WIRE_VERSION;
  if (wireVersion === WIRE_VERSION) return;
  throw new NacreError("unsupported", "this version cannot take over the programs in the keeper", {
    suggestion: "Let them end, or end them with `nacre stop`; then start this version.",
    details: { wireVersion },
  });
}

/** Without a keeper nobody could continue with a previous one's programs. */
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

/** PEM. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Both or none. */
function readTlsFiles({ tlsCert, tlsKey }: Config): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const missing = tlsCert === undefined ? "tlsCert" : "tlsKey";
    throw new NacreError("invalid_argument", `a certificate needs its key: ${missing} is missing`, {
      field: missing,
      suggestion: "Give both --tls-cert and --tls-key.",
    });
  }
  return { cert: readTlsFile(tlsCert, "tlsCert"), key: readTlsFile(tlsKey, "tlsKey") };
}

function readTlsFile(path: string, field: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw invalidArgument(field, `the file ${path} cannot be read`, { cause });
  }
}
