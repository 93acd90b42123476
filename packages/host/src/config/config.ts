import { delimiter } from "node:path";
import { DEFAULT_TERMINALS_PER_AGENT, MAX_TERMINALS } from "@nacre/contracts";
import { z } from "zod";

/** Spellings of a setting outside the config file. */
interface Setting {
  /** How the text of its variable or flag is parsed. */
  readonly kind: "text" | "number" | "switch" | "names" | "paths";
  /** The first one that is set counts. */
  readonly variables: readonly string[];
  /** A variable that extends the value of another. */
  readonly additions?: Readonly<Record<string, string>>;
  /** Flag of `nacre serve`, without dashes. */
  readonly flag?: string;
  /** Never printed. */
  readonly isSecret?: true;
}

/** Every setting by its name in the config file. */
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
    // Programs configured by these two keep their own data outside the root.
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

/** Every variable that configures a daemon. */
export const SETTING_VARIABLES: readonly string[] = Object.values(SETTINGS).flatMap(
  ({ variables, additions = {} }) => [...variables, ...Object.values(additions)],
);

/** Parses a variable or flag by kind; unparsable text stays text, for the schema to refuse. */
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

/** Not used by other well-known programs of this kind. */
const DEFAULT_PORT = 6227;

/** Shorter passwords are guessable; longer ones are a mistake. */
const MAX_PASSWORD_LENGTH = 1024;

/** Service managers kill a daemon that takes much longer to stop. */
const MAX_STOP_GRACE_MS = 4000;

const path = z
  .string()
  .min(1)
  .refine((text) => !text.includes("\0"), "expected a path without NUL");
const paths = z.array(path).readonly();
const durationMs = z.int().min(1).optional();
const bytes = z.int().min(1).optional();
const amount = z.int().min(0).optional();

/** An origin, as browsers send it in `Origin`. */
const publicOrigin = z
  .string()
  .refine(isOrigin, "expected an address without a path, such as https://terminals.example.com");

/** Reserved: an agent with such a name could pass for somebody else. */
const RESERVED_AGENTS: readonly string[] = ["operator", "local", "host"];

/** Also the name of a directory. */
const agentName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "expected 1 to 64 letters, digits, `_` or `-` that begin with a letter or digit",
  )
  .refine((name) => !RESERVED_AGENTS.includes(name), "this name is taken by the host itself");

/** Every daemon setting with its default. */
export const ConfigSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .meta({ description: "IP address that HTTP listens on; loopback unless the rest is safe." }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(DEFAULT_PORT)
      .meta({ description: "Port that HTTP listens on; 0 takes any that is free." }),
    publicOrigins: z
      .array(publicOrigin)
      .readonly()
      .default([])
      .meta({ description: "Addresses under which people reach the host beside its own." }),
    behindProxy: z.boolean().default(false).meta({
      description: "Whether a proxy that speaks TLS stands before an address others can reach.",
    }),
    tlsCert: path.optional().meta({ description: "File of the certificate, in PEM form." }),
    tlsKey: path.optional().meta({ description: "File of the private key, in PEM form." }),
    allowRoot: z
      .boolean()
      .default(false)
      .meta({ description: "Whether running as root is meant, and needs no warning." }),
    logLevel: z
      .enum(["debug", "info", "warn", "error"])
      .default("info")
      .meta({ description: "The least serious lines that are logged." }),
    maxTerminals: z
      .int()
      .min(1)
      .max(MAX_TERMINALS)
      .default(MAX_TERMINALS)
      .meta({ description: "Terminals that may run at once." }),
    maxTerminalsPerOwner: z
      .int()
      .min(1)
      .max(MAX_TERMINALS)
      .default(MAX_TERMINALS)
      .meta({ description: "Terminals that may run at once for one owner." }),
    maxTerminalsPerAgent: z
      .int()
      .min(1)
      .max(MAX_TERMINALS)
      .default(DEFAULT_TERMINALS_PER_AGENT)
      .meta({ description: "Terminals that an agent may have running at once." }),
    allowedRoots: paths.default([]).meta({
      description: "Directories that programs may start in or below; anywhere when empty.",
    }),
    moreShells: paths
      .default([])
      .meta({ description: "Shells that may be run beside the usual ones." }),
    permittedVariables: z
      .array(z.string().min(1))
      .readonly()
      .default([])
      .meta({ description: "Protected variables that callers may set all the same." }),
    durability: z
      .enum(["process", "power"])
      .default("process")
      .meta({ description: "What recordings survive: the end of the process, or a power cut." }),
    floorBytes: bytes.meta({
      description: "What is to be left free on the disk of the recordings.",
    }),
    reapExitedAfterMs: durationMs.meta({
      description: "Terminals leave the list this long after their program ended.",
    }),
    reapIdleAfterMs: durationMs.meta({
      description: "Terminals are ended this long after the last byte in or out.",
    }),
    stopGraceMs: z
      .int()
      .min(0)
      .max(MAX_STOP_GRACE_MS)
      .default(2000)
      .meta({ description: "How long programs have to end by themselves when the daemon stops." }),
    keeper: z.boolean().default(true).meta({
      description: "Whether programs run in a process of their own, and outlive the daemon.",
    }),
    limitProcesses: amount.meta({
      description:
        "Processes and threads of one terminal at once; 0 for no limit. When absent, 4096 where cgroups can be used and no limit otherwise.",
    }),
    limitMemoryBytes: amount.meta({
      description:
        "Memory of the programs of one terminal, of each process where no cgroup can be used; no limit when absent.",
    }),
    limitCpus: z.number().min(0).optional().meta({
      description:
        "Processors that the programs of one terminal have together, such as 1.5; only with cgroups, no limit when absent.",
    }),
    limitCpuSeconds: amount.meta({
      description: "Seconds that a process may use a processor; no limit when absent.",
    }),
    limitOpenFiles: amount.meta({
      description: "Files that a process may have open; that of the daemon when absent.",
    }),
    cgroups: z.boolean().default(true).meta({
      description: "Whether terminals get cgroups of their own where the system leaves us one.",
    }),
    retentionMaxAgeMs: durationMs.meta({ description: "Recordings are removed at this age." }),
    retentionMaxTerminalBytes: bytes.meta({
      description: "Data of one recording, beyond which its oldest entries go.",
    }),
    retentionMaxTotalBytes: bytes.meta({
      description: "Data of all recordings, beyond which the oldest go.",
    }),
    agentDirectories: z
      .array(agentName)
      .readonly()
      .refine((names) => new Set(names).size === names.length, "an agent is named twice")
      .default([])
      .meta({ description: "Agents that ask by control files, each in a directory of its own." }),
    agentDirectoryRoot: path.optional().meta({
      description:
        "Where <agent>/terminal of each agent is; the directory agents of the state when absent.",
    }),
    terminalServiceEnabled: z
      .boolean()
      .default(true)
      .meta({ description: "Whether the routes below /api/terminal answer." }),
    terminalServicePassword: z
      .string()
      .min(1)
      .max(MAX_PASSWORD_LENGTH)
      .optional()
      .meta({ description: "Password that the routes below /api/terminal ask for besides." }),
  })
  .meta({ description: "Settings of a daemon." });

export type Config = z.output<typeof ConfigSchema>;

export type SettingName = keyof Config;

export const defaultConfig = (): Config => ConfigSchema.parse({});

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
