import { describe, expect, test } from "vitest";
import { requireProgram } from "../testing/require-program.ts";
import { PtyReader } from "./contract/pty-fixtures.ts";
import { defaultLaunchPolicy, prepareLaunch } from "./launch.ts";
import { linuxPty } from "./linux-pty.ts";
import {
  detectShell,
  isWSL,
  platformInfo,
  resolveShell,
  shellArguments,
  type ShellProbe,
} from "./shell-detection.ts";

const PWSH = "C:\\Program Files\\PowerShell\\7\\pwsh.exe";
const POWERSHELL = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe";
const CMD = "C:\\Windows\\System32\\cmd.exe";

function machine(present: readonly string[], more: Partial<ShellProbe> = {}): ShellProbe {
  return {
    platform: "linux",
    arch: "x64",
    env: {},
    isExecutable: (path) => present.includes(path),
    readVersion: () => "Linux version 6.18",
    ...more,
  };
}

const LOGIN = ["--login"];

describe("the shell that is detected", () => {
  const zsh = { SHELL: "/bin/zsh" };
  test.each([
    ["PowerShell Core on Windows", [PWSH, POWERSHELL, CMD], { platform: "win32" }, PWSH, []],
    ["PowerShell without Core", [POWERSHELL, CMD], { platform: "win32" }, POWERSHELL, []],
    ["cmd.exe when Windows has no other", [], { platform: "win32" }, "cmd.exe", []],
    [
      "the person's own on macOS",
      ["/bin/zsh", "/bin/bash"],
      { platform: "darwin", env: { SHELL: "/bin/bash" } },
      "/bin/bash",
      LOGIN,
    ],
    ["zsh on macOS", ["/bin/zsh", "/bin/bash"], { platform: "darwin" }, "/bin/zsh", LOGIN],
    ["bash on macOS without zsh", ["/bin/bash"], { platform: "darwin" }, "/bin/bash", LOGIN],
    ["the person's own on Linux", ["/bin/zsh", "/bin/bash"], { env: zsh }, "/bin/zsh", LOGIN],
    [
      "the person's own by name, elsewhere",
      ["/usr/bin/zsh", "/bin/bash"],
      { env: zsh },
      "/usr/bin/zsh",
      LOGIN,
    ],
    ["bash on Linux", ["/bin/bash", "/bin/sh"], {}, "/bin/bash", LOGIN],
    ["bash when the person's own is not there", ["/bin/bash"], { env: zsh }, "/bin/bash", LOGIN],
    [
      "bash when the person's own is not allowed",
      ["/bin/bash", "/opt/evil"],
      { env: { SHELL: "/opt/evil" } },
      "/bin/bash",
      LOGIN,
    ],
    [
      "the one on file for the person when SHELL is not set",
      ["/bin/zsh", "/bin/bash"],
      { userShell: "/bin/bash" },
      "/bin/bash",
      LOGIN,
    ],
    [
      "S-L16: the sh of the system before a bash that somebody added",
      ["/usr/local/bin/bash", "/bin/sh"],
      {},
      "/bin/sh",
      [],
    ],
    [
      "S-L16: zsh before bash before sh in one directory",
      ["/usr/bin/sh", "/usr/bin/bash", "/usr/bin/zsh"],
      {},
      "/usr/bin/zsh",
      LOGIN,
    ],
    ["sh, without arguments, when there is nothing else", ["/bin/sh"], {}, "/bin/sh", []],
    ["sh even when nothing is found", [], {}, "/bin/sh", []],
    [
      "bash in WSL when nothing is found",
      [],
      { readVersion: (): string => "Linux 5.15-WSL2" },
      "/bin/bash",
      LOGIN,
    ],
  ] as const)("is %s", (_name, present, more, shell, args) => {
    expect(detectShell(machine(present, more))).toEqual({ shell, args });
  });
});

describe("WSL", () => {
  const without = machine([]);
  test.each([
    ["/proc/version names Microsoft", { readVersion: (): string => "Linux 5.15 Microsoft" }, true],
    ["/proc/version names WSL", { readVersion: (): string => "Linux 5.15-WSL2" }, true],
    [
      "S-L1: WSL_DISTRO_NAME is set and there is no /proc/version",
      { readVersion: (): undefined => undefined, env: { WSL_DISTRO_NAME: "Debian" } },
      true,
    ],
    [
      "S-L1: WSLENV is set and there is no /proc/version",
      { readVersion: (): undefined => undefined, env: { WSLENV: "x" } },
      true,
    ],
    ["S-L1: /proc/version is that of another Linux", { env: { WSL_DISTRO_NAME: "x" } }, false],
    ["nothing speaks for it", {}, false],
    ["there is neither", { readVersion: (): undefined => undefined }, false],
    [
      "Windows has the variable",
      {
        platform: "win32" as const,
        readVersion: (): undefined => undefined,
        env: { WSLENV: "x" },
      },
      false,
    ],
    [
      "/proc/version cannot be read",
      {
        readVersion: (): never => {
          throw new Error("no");
        },
        env: { WSLENV: "x" },
      },
      false,
    ],
  ] as const)("%s", (_name, more, expected) => {
    expect(isWSL({ ...without, ...more })).toBe(expected);
  });
});

test("the arguments are those of the shell that is used", () => {
  expect(shellArguments("/usr/bin/fish")).toEqual(LOGIN);
  expect(shellArguments("/bin/sh")).toEqual([]);
  expect(shellArguments(PWSH)).toEqual([]);
});

test("a shell may be asked for by allowed name or path, and by no other", () => {
  const probe = machine(["/bin/bash", "/usr/bin/fish", "/opt/nu"]);
  expect(resolveShell("bash", probe).shell).toBe("/bin/bash");
  expect(resolveShell("/usr/bin/fish", probe).shell).toBe("/usr/bin/fish");
  expect(resolveShell("/opt/nu", probe, ["/opt/nu"]).shell).toBe("/opt/nu");
  for (const asked of ["/opt/nu", "nu", "zsh", "/tmp/bash", "../bash", "bash -c id", ""]) {
    expect(() => resolveShell(asked, probe)).toThrow(
      expect.objectContaining({ code: "shell_not_allowed", field: "shell" }),
    );
  }
});

test("platform information says what the machine is", () => {
  expect(platformInfo(machine(["/bin/bash"]))).toEqual({
    platform: "linux",
    isWSL: false,
    defaultShell: "/bin/bash",
    arch: "x64",
  });
});

test.for(["bash", "zsh", "fish", "sh"])(
  "%s starts as a login shell and obeys",
  async (name, context) => {
    requireProgram(context, name);
    const env = { HOME: "/nonexistent", ZDOTDIR: "/nonexistent" };
    const launch = await prepareLaunch({ shell: name, cwd: "/", env }, defaultLaunchPolicy("0"));
    await using pty = await linuxPty.spawn(launch);
    const reader = new PtyReader(pty);
    await reader.next();
    await pty.write(Buffer.from("expr 1234 + 4321; exit 5\r"));
    await reader.until("5555");
    await reader.toEnd();
    expect((await pty.exited).exitCode).toBe(5);
  },
);
