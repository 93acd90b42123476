import { delimiter } from "node:path";
import type { SettingName } from "./config.ts";

/** How a setting is spelled outside the config file. */
export interface Setting {
  /** How its text in a variable or a flag is read. */
  readonly kind: "text" | "number" | "switch" | "names" | "paths";
  /** Variables that set it; the first that is there counts. */
  readonly variables: readonly string[];
  /** A variable that adds to the value of another one where that counts. */
  readonly additions?: Readonly<Record<string, string>>;
  /** The flag of `nacre serve`, without its dashes. */
  readonly flag?: string;
  /** Whether it is never shown. */
  readonly isSecret?: true;
}

/** THE SETTINGS TABLE: every setting, by its name in the config file. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  host: { kind: "text", variables: ["NACRE_HOST"], flag: "host" },
  port: { kind: "number", variables: ["NACRE_PORT"], flag: "port" },
  publicOrigins: { kind: "names", variables: ["NACRE_PUBLIC_ORIGINS"], flag: "public-origin" },
  behindProxy: { kind: "switch", variables: ["NACRE_BEHIND_PROXY"], flag: "behind-proxy" },
  tlsCert: { kind: "text", variables: ["NACRE_TLS_CERT"], flag: "tls-cert" },
  tlsKey: { kind: "text", variables: ["NACRE_TLS_KEY"], flag: "tls-key" },
  allowRoot: { kind: "switch", variables: ["NACRE_ALLOW_ROOT"], flag: "allow-root" },
  logLevel: { kind: "text", variables: ["NACRE_LOG"], flag: "log" },
  maxTerminals: { kind: "number", variables: ["NACRE_MAX_TERMINALS", "TERMINAL_MAX_SESSIONS"] },
  maxTerminalsPerAgent: { kind: "number", variables: ["NACRE_MAX_TERMINALS_PER_AGENT"] },
  maxTerminalsPerOwner: { kind: "number", variables: ["NACRE_MAX_TERMINALS_PER_OWNER"] },
  allowedRoots: {
    kind: "paths",
    variables: ["NACRE_ALLOWED_ROOTS", "ALLOWED_ROOT_DIRECTORY"],
    // Programs that are set up by these two keep their own data outside of the root.
    additions: { ALLOWED_ROOT_DIRECTORY: "DATA_DIR" },
  },
  moreShells: { kind: "paths", variables: ["NACRE_MORE_SHELLS"] },
  permittedVariables: { kind: "names", variables: ["NACRE_PERMITTED_VARIABLES"] },
  durability: { kind: "text", variables: ["NACRE_DURABILITY"] },
  floorBytes: { kind: "number", variables: ["NACRE_FLOOR_BYTES"] },
  reapExitedAfterMs: { kind: "number", variables: ["NACRE_REAP_EXITED_AFTER_MS"] },
  reapIdleAfterMs: { kind: "number", variables: ["NACRE_REAP_IDLE_AFTER_MS"] },
  stopGraceMs: { kind: "number", variables: ["NACRE_STOP_GRACE_MS"] },
  keeper: { kind: "switch", variables: ["NACRE_KEEPER"] },
  limitProcesses: { kind: "number", variables: ["NACRE_LIMIT_PROCESSES"] },
  limitMemoryBytes: { kind: "number", variables: ["NACRE_LIMIT_MEMORY_BYTES"] },
  limitCpus: { kind: "number", variables: ["NACRE_LIMIT_CPUS"] },
  limitCpuSeconds: { kind: "number", variables: ["NACRE_LIMIT_CPU_SECONDS"] },
  limitOpenFiles: { kind: "number", variables: ["NACRE_LIMIT_OPEN_FILES"] },
  cgroups: { kind: "switch", variables: ["NACRE_CGROUPS"] },
  retentionMaxAgeMs: { kind: "number", variables: ["NACRE_RETENTION_MAX_AGE_MS"] },
  retentionMaxTerminalBytes: { kind: "number", variables: ["NACRE_RETENTION_MAX_TERMINAL_BYTES"] },
  retentionMaxTotalBytes: { kind: "number", variables: ["NACRE_RETENTION_MAX_TOTAL_BYTES"] },
  agentDirectories: {
    kind: "names",
    variables: ["NACRE_AGENT_DIRECTORIES"],
    flag: "agent-directory",
  },
  agentDirectoryRoot: {
    kind: "text",
    variables: ["NACRE_AGENT_DIRECTORY_ROOT"],
    flag: "agent-directory-root",
  },
  terminalServiceEnabled: {
    kind: "switch",
    variables: ["NACRE_TERMINAL_SERVICE_ENABLED", "TERMINAL_ENABLED"],
  },
  terminalServicePassword: {
    kind: "text",
    variables: ["NACRE_TERMINAL_SERVICE_PASSWORD", "TERMINAL_PASSWORD"],
    isSecret: true,
  },
};

/** Every variable that a daemon reads its settings from. */
export const SETTING_VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap(
  ({ variables, additions = {} }) => [...variables, ...Object.values(additions)],
);

/** Reads the text of a variable or a flag as what its setting is; text that is nothing of the kind stays text, for the schema to refuse. */
export function decodeSetting({ kind }: Setting, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "switch":
      return decodeSwitch(text);
    case "names":
      return split(text, ",");
    case "paths":
      return split(text, delimiter);
  }
}

const split = (text: string, separator: string): readonly string[] =>
  text.split(separator).filter((part) => part !== "");

function decodeSwitch(text: string): unknown {
  if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
  if (["false", "0", "no", "off"].includes(text.toLowerCase())) return false;
  return text;
}
