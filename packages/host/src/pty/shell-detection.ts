import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { posix, win32 } from "node:path";
import { NacreError } from "@nacre/contracts/plain";

/** Injected facts about the machine; tests pass their own. */
export interface ShellProbe {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the user database; used where SHELL is not set. */
  readonly userShell?: string;
  isExecutable(path: string): boolean;
  /** /proc/version; undefined where there is none; may throw. */
  readVersion(): string | undefined;
}

export interface Shell {
  readonly shell: string;
  readonly args: readonly string[];
}

export interface PlatformInfo {
  readonly platform: NodeJS.Platform;
  readonly isWSL: boolean;
  readonly defaultShell: string;
  readonly arch: string;
}

/** Directory by directory, so that system shells go before added ones; fish is only chosen by name. */
const POSIX_SHELLS = [
  ...["/bin", "/usr/bin"].flatMap((directory) =>
    ["zsh", "bash", "sh"].map((name) => `${directory}/${name}`),
  ),
  ...["/usr/local/bin", "/opt/homebrew/bin"].flatMap((directory) =>
    ["zsh", "bash"].map((name) => `${directory}/${name}`),
  ),
  ...["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map((dir) => `${dir}/fish`),
];

/** Shells without a login-shell argument. */
const WITHOUT_ARGUMENTS = new Set(["sh", "dash", "powershell", "pwsh", "cmd"]);

export function machineProbe(): ShellProbe {
  return {
    platform: process.platform,
    arch: process.arch,
    env: process.env,
    ...findUserShell(),
    isExecutable(path) {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false; // Missing or not executable: another shell must be found.
      }
    },
    readVersion: () =>
      existsSync("/proc/version") ? readFileSync("/proc/version", "utf8") : undefined,
  };
}

function findUserShell(): { readonly userShell?: string } {
  try {
    const { shell } = userInfo();
    return shell ? { userShell: shell } : {};
  } catch {
    return {}; // In a container the uid may have no name.
  }
}

/** In order of preference. */
export function allowedShells(probe: ShellProbe, more: readonly string[] = []): readonly string[] {
  if (probe.platform !== "win32") return [...POSIX_SHELLS, ...more];
  const root = probe.env["SystemRoot"] ?? "C:\\Windows";
  return [
    "C:\\Program Files\\PowerShell\\7\\pwsh.exe",
    "C:\\Program Files\\PowerShell\\7-preview\\pwsh.exe",
    `${root}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    probe.env["COMSPEC"] ?? probe.env["ComSpec"] ?? `${root}\\System32\\cmd.exe`,
    ...more,
  ];
}

/** The user's own shell if allowed and present, else the first that is, else /bin/sh. */
export function detectShell(probe: ShellProbe, more: readonly string[] = []): Shell {
  const present = allowedShells(probe, more).filter((path) => probe.isExecutable(path));
  const own = probe.platform === "win32" ? undefined : (probe.env["SHELL"] ?? probe.userShell);
  const chosen =
    present.find((path) => path === own) ??
    present.find((path) => own !== undefined && shellName(path) === shellName(own)) ??
    present[0];
  return withArguments(chosen ?? fallbackShell(probe));
}

/** By allowed path or by name; the error lists what there is. */
export function resolveShell(
  asked: string,
  probe: ShellProbe,
  more: readonly string[] = [],
): Shell {
  const present = allowedShells(probe, more).filter((path) => probe.isExecutable(path));
  const isName = !/[/\\]/.test(asked);
  const chosen = present.find((path) =>
    isName ? shellName(path) === shellName(asked) : path === asked,
  );
  if (chosen !== undefined) return withArguments(chosen);
  throw new NacreError(
    "shell_not_allowed",
    `${JSON.stringify(asked)} is not an allowed shell; expected one of ${present.join(", ")}`,
    { field: "shell" },
  );
}

/** Makes it a login shell. */
export function shellArguments(shell: string): readonly string[] {
  return WITHOUT_ARGUMENTS.has(shellName(shell)) ? [] : ["--login"];
}

/** /proc/version decides; without it, the WSL variables. An unreadable one means no. */
export function isWSL(probe: ShellProbe): boolean {
  // Windows itself has these variables, too.
  if (probe.platform === "win32") return false;
  try {
    const version = probe.readVersion();
    if (version !== undefined) return /microsoft|wsl/i.test(version);
  } catch {
    return false;
  }
  return Boolean(probe.env["WSL_DISTRO_NAME"] || probe.env["WSLENV"]);
}

/** For status pages. */
export function platformInfo(probe: ShellProbe): PlatformInfo {
  const { platform, arch } = probe;
  return { platform, isWSL: isWSL(probe), defaultShell: detectShell(probe).shell, arch };
}

const withArguments = (shell: string): Shell => ({ shell, args: shellArguments(shell) });

function fallbackShell(probe: ShellProbe): string {
  if (probe.platform === "win32") return "cmd.exe";
  return isWSL(probe) ? "/bin/bash" : "/bin/sh";
}

function shellName(path: string): string {
  const name = path.includes("\\") ? win32.basename(path) : posix.basename(path);
  return name.toLowerCase().replace(/\.exe$/, "");
}
