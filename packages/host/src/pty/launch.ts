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
  /** Instead of a shell. */
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

/** Everything has a default. */
export type LaunchRequest = z.input<typeof LaunchRequestSchema>;

/** What the host allows, whoever asks. */
export interface LaunchPolicy {
  readonly probe: ShellProbe;
  readonly home: string;
  readonly version: string;
  /** Empty: anywhere. */
  readonly allowedRoots: readonly string[];
  readonly moreShells: readonly string[];
  /** Protected variables that callers may set nevertheless. */
  readonly permittedVariables: readonly string[];
  /** Variables by which programs find their host; absent where nobody can reach it. */
  readonly hostAddress?: Readonly<Record<string, string>>;
  /** For programs, where the host's own is stricter. */
  readonly umask?: number | undefined;
  readonly limits?: Omit<LaunchLimits, "asked"> | undefined;
}

/** A launch that can be spawned, and how it differs from the request. */
export interface PreparedLaunch extends PtyLaunch {
  /** Why the home directory is used instead. */
  readonly cwdFallbackReason?: NacreError;
}

/** MAX_ARG_STRLEN, and half of Linux's 2 MiB for all; the other half is for the environment. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
const MAX_ARGUMENTS_BYTES = 1024 * 1024;

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

/** Checks a launch completely before anything is started; errors name the field. */
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
    // Windows finds programs by rules of its own.
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
