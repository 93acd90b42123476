import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { posix, win32 } from "node:path";
import { NacreError } from "@nacre/contracts/plain";

/** What shell detection asks of the machine; a test passes its own answers. */
export interface ShellProbe {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The shell that the system has on file for the person; counts where SHELL is not set. */
  readonly userShell?: string;
  isExecutable(path: string): boolean;
  /** The text of /proc/version, or undefined where there is none; may throw. */
  readVersion(): string | undefined;
}

/** A shell and the arguments that make it a login shell. */
export interface Shell {
  readonly shell: string;
  readonly args: readonly string[];
}

/** What people want to know of the machine. */
export interface PlatformInfo {
  readonly platform: NodeJS.Platform;
  readonly isWSL: boolean;
  readonly defaultShell: string;
  readonly arch: string;
}

/** Directory by directory, so that what the system itself brings goes before what somebody added; fish is only chosen by name. */
const POSIX_SHELLS = [
  ...["/bin", "/usr/bin"].flatMap((directory) =>
    ["zsh", "bash", "sh"].map((name) => `${directory}/${name}`),
  ),
  ...["/usr/local/bin", "/opt/homebrew/bin"].flatMap((directory) =>
    ["zsh", "bash"].map((name) => `${directory}/${name}`),
  ),
  ...["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map((dir) => `${dir}/fish`),
];

/** Shells that take no argument to start as a person's shell. */
const WITHOUT_ARGUMENTS = new Set(["sh", "dash", "powershell", "pwsh", "cmd"]);

/** The machine as it is. */
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
        return false; // Missing or not ours to run: both mean another shell must be found.
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
    return {}; // Containers may run as a number that the system has no name for.
  }
}

/** The shells that may be started by name or path, in the order in which one is looked for. */
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

/** The person's own shell if it is allowed and there, else the first that is, else the one every system has. */
export function detectShell(probe: ShellProbe, more: readonly string[] = []): Shell {
  const present = allowedShells(probe, more).filter((path) => probe.isExecutable(path));
  const own = probe.platform === "win32" ? undefined : (probe.env["SHELL"] ?? probe.userShell);
  const chosen =
    present.find((path) => path === own) ??
    present.find((path) => own !== undefined && shellName(path) === shellName(own)) ??
    present[0];
  return withArguments(chosen ?? fallbackShell(probe));
}

/** The shell asked for, by allowed path or by name, or an error that lists what there is. */
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
    `${JSON.stringify(asked)} is not one of the shells here: ${present.join(", ")}`,
    { field: "shell" },
  );
}

/** The arguments that start this very shell as a login shell. */
export function shellArguments(shell: string): readonly string[] {
  return WITHOUT_ARGUMENTS.has(shellName(shell)) ? [] : ["--login"];
}

/** True inside the Windows Subsystem for Linux: /proc/version says so, and where there is none the variables do; an unreadable one means no. */
export function isWSL(probe: ShellProbe): boolean {
  // Windows itself has these variables too.
  if (probe.platform === "win32") return false;
  try {
    const version = probe.readVersion();
    if (version !== undefined) return /microsoft|wsl/i.test(version);
  } catch {
    return false;
  }
  return Boolean(probe.env["WSL_DISTRO_NAME"] || probe.env["WSLENV"]);
}

/** Platform, WSL, default shell and processor, for status pages. */
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
