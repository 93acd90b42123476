import { homedir } from "node:os";
import { DEFAULT_SIZE, InheritEnv, NacreError, parse, Size } from "@nacre/contracts";
import { z } from "zod";
import { resolveCommand } from "./resolve-command.ts";
import { buildEnvironment } from "./environment.ts";
import type { LaunchLimits } from "./limits/program-limits.ts";
import type { PtyLaunch } from "./pty.ts";
import { detectShell, machineProbe, resolveShell, type ShellProbe } from "./shell-detection.ts";
import { resolveWorkingDirectory } from "./working-directory.ts";

const LaunchRequestSchema = z.strictObject({
  /** A program to run instead of a shell. */
  command: z.string().min(1).optional(),
  args: z.array(z.string()).readonly().optional(),
  /** An allowed shell, by name or path; only without `command`. */
  shell: z.string().optional(),
  cwd: z.string().optional(),
  cwdFallback: z.literal("home").optional(),
  env: z.record(z.string(), z.string()).readonly().optional(),
  inheritEnv: InheritEnv.optional(),
  size: Size.optional(),
});

/** What a caller may say about the program of a new terminal; everything has a default. */
export type LaunchRequest = z.input<typeof LaunchRequestSchema>;

/** What the host allows, whoever asks. */
export interface LaunchPolicy {
  readonly probe: ShellProbe;
  readonly home: string;
  readonly version: string;
  /** Directories programs may start in or below; empty means anywhere. */
  readonly allowedRoots: readonly string[];
  /** Shells beyond the usual ones. */
  readonly moreShells: readonly string[];
  /** Protected variables that callers may set all the same. */
  readonly permittedVariables: readonly string[];
  /** Variables by which programs find the host in whose terminal they run; none of a host that nobody can reach. */
  readonly hostAddress?: Readonly<Record<string, string>>;
  /** Which permissions files that programs make do not get, where the host's own files get fewer. */
  readonly umask?: number | undefined;
  /** What programs may use, where the host says. */
  readonly limits?: Omit<LaunchLimits, "asked"> | undefined;
}

/** A launch that can be spawned, and what differs from what was asked. */
export interface PreparedLaunch extends PtyLaunch {
  /** Why the home directory is used instead of the one asked for. */
  readonly cwdFallbackReason?: NacreError;
}

/** Linux allows 128 KiB for one argument and 2 MiB for all, of which half is left for the environment. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
const MAX_ARGUMENTS_BYTES = 1024 * 1024;

/** The policy of a host that sets no limits of its own. */
export function defaultLaunchPolicy(version: string): LaunchPolicy {
  return {
    probe: machineProbe(),
    home: homedir(),
    version,
    allowedRoots: [],
    moreShells: [],
    permittedVariables: [],
  };
}

/** Checks everything about a launch before anything is started; throws a NacreError that names the field. */
export async function prepareLaunch(
  asked: LaunchRequest,
  policy: LaunchPolicy,
): Promise<PreparedLaunch> {
  const request = parse(LaunchRequestSchema, asked);
  const args = checkArguments(request.args ?? []);
  const environment = buildEnvironment(request, {
    hostEnv: policy.probe.env,
    platform: policy.probe.platform,
    version: policy.version,
    permittedNames: policy.permittedVariables,
    ...(policy.hostAddress ? { hostAddress: policy.hostAddress } : {}),
  });
  const directory = await resolveWorkingDirectory(request.cwd, {
    home: policy.home,
    allowedRoots: policy.allowedRoots,
    ...(request.cwdFallback ? { fallback: request.cwdFallback } : {}),
  });
  const env = { ...environment, PWD: directory.path };
  const program = await chooseProgram(request, policy, { args, env, cwd: directory.path });
  return {
    ...program,
    env,
    size: request.size ?? DEFAULT_SIZE,
    cwd: directory.path,
    allowedRoots: directory.allowedRoots,
    umask: policy.umask,
    ...(directory.fallbackReason ? { cwdFallbackReason: directory.fallbackReason } : {}),
  };
}

async function chooseProgram(
  request: LaunchRequest,
  policy: LaunchPolicy,
  within: { args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string },
): Promise<Pick<PtyLaunch, "file" | "args">> {
  if (request.command !== undefined) {
    if (request.shell !== undefined) {
      throw new NacreError("invalid_argument", "give a command or a shell, not both", {
        field: "shell",
      });
    }
    checkText(request.command, "command");
    // Windows has rules of its own for finding programs, and applies them itself.
    const isWindows = policy.probe.platform === "win32";
    const file = isWindows
      ? request.command
      : await resolveCommand(request.command, within.env, within.cwd);
    return { file, args: within.args };
  }
  const { shell, args } =
    request.shell === undefined
      ? detectShell(policy.probe, policy.moreShells)
      : resolveShell(request.shell, policy.probe, policy.moreShells);
  return { file: shell, args: request.args === undefined ? args : within.args };
}

function checkArguments(args: readonly string[]): readonly string[] {
  let totalBytes = 0;
  for (const [index, arg] of args.entries()) {
    const field = `args.${index}`;
    totalBytes += checkText(arg, field);
    if (totalBytes > MAX_ARGUMENTS_BYTES) {
      throw new NacreError("invalid_argument", `args exceed ${MAX_ARGUMENTS_BYTES} bytes`, {
        field,
      });
    }
  }
  return args;
}

function checkText(text: string, field: string): number {
  const bytes = Buffer.byteLength(text);
  if (text.includes("\0") || bytes > MAX_ARGUMENT_BYTES) {
    const message = `${field}: expected a text without NUL of at most ${MAX_ARGUMENT_BYTES} bytes`;
    throw new NacreError("invalid_argument", message, { field });
  }
  return bytes;
}
