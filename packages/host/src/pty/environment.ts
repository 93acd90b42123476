import { type InheritEnv, NacreError } from "@nacre/contracts";

export interface EnvironmentPolicy {
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  /** Protected names that callers may set nevertheless. */
  readonly permittedNames?: readonly string[];
  /** Variables by which a program finds its host. */
  readonly hostAddress?: Readonly<Record<string, string>>;
}

export interface EnvironmentRequest {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly inheritEnv?: InheritEnv | undefined;
}

/** MAX_ARG_STRLEN, including the final NUL. */
const MAX_VARIABLE_BYTES = 128 * 1024 - 1;

/** Half of Linux's limit for arguments and environment together. */
const MAX_ENVIRONMENT_BYTES = 1024 * 1024;

/** Needed by a user's programs and free of secrets. */
const SAFE_NAMES = new Set(
  (
    "HOME USER LOGNAME SHELL PATH LANG LANGUAGE TZ TMPDIR XDG_RUNTIME_DIR XDG_CONFIG_HOME " +
    "XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME EDITOR VISUAL PAGER LESS LS_COLORS NO_COLOR " +
    "SystemRoot SystemDrive ComSpec PATHEXT TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA " +
    "ProgramFiles ProgramData HOMEDRIVE HOMEPATH WSL_DISTRO_NAME WSLENV"
  ).split(" "),
);

const SAFE_WINDOWS_NAMES = new Set([...SAFE_NAMES].map((name) => name.toUpperCase()));

/** Never inherited, not even with `all`: the host's own settings and everything that looks like a secret. */
const SECRET_NAME = new RegExp(
  [
    "^(PORT|DATA_DIR|NODE_PATH|NODE_OPTIONS|DATABASE_URL|SSH_AUTH_SOCK|SSH_AGENT_PID)$",
    "^(NACRE|TERMINAL|AWS|AZURE|GCP|GOOGLE|GH|GITHUB|GITLAB|OPENAI|ANTHROPIC|NPM_CONFIG|LD|DYLD)_",
    "API_?KEY|ACCESS_KEY|PRIVATE_KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL",
    "(^|_)(AUTH|COOKIE)(_|$)",
  ].join("|"),
  "i",
);

/** Not even callers may set these: they change which code runs, or they are ours. */
const PROTECTED_NAME =
  /^(NACRE_.*|LD_.*|DYLD_.*|NODE_OPTIONS|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|GCONV_PATH|IFS)$/i;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Inherited variables, terminal variables, then the caller's own. */
export function buildEnvironment(
  request: EnvironmentRequest,
  policy: EnvironmentPolicy,
): Readonly<Record<string, string>> {
  const callers = checkCallersEnv(request.env ?? {}, policy.permittedNames ?? []);
  const inherited = inheritFrom(policy, request.inheritEnv ?? "safe");
  // Linux always has C.UTF-8; a locale that is not installed makes every shell complain.
  const fallback = policy.platform === "linux" ? "C.UTF-8" : "en_US.UTF-8";
  const lang = callers["LANG"] ?? inherited["LANG"] ?? fallback;
  return {
    ...inherited,
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    TERM_PROGRAM: "nacre",
    TERM_PROGRAM_VERSION: policy.version,
    LANG: lang,
    // A caller's LANG wins over the host's LC_ALL.
    LC_ALL: callers["LANG"] ?? inherited["LC_ALL"] ?? lang,
    ...policy.hostAddress,
    ...callers,
  };
}

function inheritFrom(
  { hostEnv, platform }: EnvironmentPolicy,
  inherit: InheritEnv,
): Record<string, string> {
  const inherited: Record<string, string> = {};
  if (inherit === "none") return inherited;
  // Windows variable names are case-insensitive.
  const safeNames = platform === "win32" ? SAFE_WINDOWS_NAMES : SAFE_NAMES;
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined || SECRET_NAME.test(name)) continue;
    const key = platform === "win32" ? name.toUpperCase() : name;
    if (inherit === "all" || safeNames.has(key) || key.startsWith("LC_")) inherited[name] = value;
  }
  return inherited;
}

function checkCallersEnv(
  env: Readonly<Record<string, string>>,
  permitted: readonly string[],
): Readonly<Record<string, string>> {
  let totalBytes = 0;
  for (const [name, value] of Object.entries(env)) {
    const field = `env.${name}`;
    if (!NAME.test(name) || typeof value !== "string" || value.includes("\0")) {
      throw new NacreError(
        "invalid_argument",
        `${field}: a variable has a name of letters, digits and _ and a text without NUL`,
        { field },
      );
    }
    if (PROTECTED_NAME.test(name) && !permitted.includes(name)) {
      throw new NacreError("environment_refused", `${name} may not be set for a terminal`, {
        field,
      });
    }
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
    totalBytes += bytes;
    if (bytes > MAX_VARIABLE_BYTES || totalBytes > MAX_ENVIRONMENT_BYTES) {
      throw new NacreError(
        "invalid_argument",
        `${field}: a variable may have ${MAX_VARIABLE_BYTES} bytes, all together ${MAX_ENVIRONMENT_BYTES}`,
        { field },
      );
    }
  }
  return env;
}
