import { readFileSync } from "node:fs";
import { NacreError } from "@nacre/contracts";
import type { Config } from "../config/config.ts";

/** A certificate and its key, in PEM form. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the certificate and the key that the settings name; both or none. */
export function readTlsFiles({ tlsCert, tlsKey }: Config): TlsFiles | undefined {
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
    throw new NacreError("invalid_argument", `${field}: the file ${path} cannot be read`, {
      field,
      cause,
    });
  }
}
