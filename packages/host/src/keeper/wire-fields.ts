// Parses request fields by hand: zod would add half of the keeper's memory again.
import { NacreError, type Size } from "@nacre/contracts/plain";
import {
  type LaunchLimits,
  LIMIT_NAMES,
  type LimitReached,
  type LimitsInForce,
  pickLimits,
  type ProgramLimits,
} from "../pty/limits/program-limits.ts";
import {
  checkSignal,
  checkSize,
  type KillReport,
  type ProcessIdentity,
  type PtyExit,
  type PtyLaunch,
  type PtyState,
  type RunningPty,
  type Survivor,
  type TerminalDevice,
} from "../pty/pty.ts";

// Answers of the keeper are parsed with care: it may be of another version.

export function readExit(fields: Fields): PtyExit {
  const { exitCode, signal } = fields;
  const rest = {
    outputBytes: readCount(fields["outputBytes"], "outputBytes"),
    drained: readBoolean(fields["drained"], "drained"),
  };
  if (signal === undefined) return { exitCode: readCount(exitCode, "exitCode"), ...rest };
  const limitReached = readLimitReached(fields["limitReached"]);
  return { signal: readSignal(signal), ...(limitReached ? { limitReached } : {}), ...rest };
}

/** Unknown limits of a newer keeper are left out. */
const readLimitReached = (value: unknown): LimitReached | undefined =>
  value === "memory" || value === "cpuTime" ? value : undefined;

export function readPtyState(fields: Fields): PtyState {
  const { foregroundProcessGroup: group, echo, canonical, utf8 } = fields;
  return {
    size: checkSize(fields["size"]),
    queuedInputBytes: readCount(fields["queuedInputBytes"], "queuedInputBytes"),
    ...(typeof group === "number" ? { foregroundProcessGroup: group } : {}),
    ...(typeof echo === "boolean" ? { echo } : {}),
    ...(typeof canonical === "boolean" ? { canonical } : {}),
    ...(typeof utf8 === "boolean" ? { utf8 } : {}),
  };
}

export function readKillReport(fields: Fields): KillReport {
  return {
    ended: readCount(fields["ended"], "ended"),
    forced: fields["forced"] === true,
    survivors: readAnswerList(fields["survivors"], "survivors").map(readSurvivor),
  };
}

export const readProcesses = (fields: Fields): readonly Survivor[] =>
  readAnswerList(fields["processes"], "processes").map(readSurvivor);

export interface PtyFacts {
  readonly number: number;
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly device: TerminalDevice | undefined;
  readonly limits: LimitsInForce | undefined;
}

export function readPtyFacts(fields: Fields): PtyFacts {
  return {
    number: readCount(fields["number"], "number"),
    id: readString(fields["id"], "id"),
    leader: readProcess(readAnswerObject(fields["leader"], "leader")),
    device: readDevice(fields["device"]),
    limits: readLimitsInForce(fields["limits"]),
  };
}

/** A keeper of another version may name none; then it is asked. */
function readDevice(value: unknown): TerminalDevice | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { path, dev, ino }: Fields = { ...value };
  if (typeof path !== "string" || typeof dev !== "number" || typeof ino !== "number")
    return undefined;
  return { path, dev, ino };
}

export function readRunningPtys(
  fields: Fields,
): readonly (RunningPty & { readonly kind: unknown })[] {
  return readAnswerList(fields["ptys"], "ptys").map((one) => {
    const { id, leader } = readPtyFacts(one);
    const size: Size = checkSize(one["size"]);
    const firstOffset = readCount(one["firstOffset"], "firstOffset");
    const exit =
      one["exit"] === undefined ? {} : { exit: readExit(readAnswerObject(one["exit"], "exit")) };
    const memo = one["memo"] === undefined ? {} : { memo: readString(one["memo"], "memo") };
    return { id, leader, size, firstOffset, kind: one["kind"], ...exit, ...memo };
  });
}

function readSurvivor(fields: Fields): Survivor {
  return { ...readProcess(fields), name: readString(fields["name"], "name") };
}

function readProcess(fields: Fields): ProcessIdentity {
  return {
    pid: readCount(fields["pid"], "pid"),
    startTicks: readCount(fields["startTicks"], "startTicks"),
  };
}

function readSignal(value: unknown): NodeJS.Signals {
  const signal = readString(value, "signal");
  checkSignal(signal);
  return signal as NodeJS.Signals;
}

function readAnswerList(value: unknown, field: string): readonly Fields[] {
  if (Array.isArray(value)) return value.map((one: unknown) => readAnswerObject(one, field));
  throw new NacreError("unexpected_answer", `the keeper answered without ${field}`);
}

function readAnswerObject(value: unknown, field: string): Fields {
  if (typeof value === "object" && value !== null) return { ...value };
  throw new NacreError("unexpected_answer", `the keeper answered without ${field}`);
}

export type Fields = Readonly<Record<string, unknown>>;

const MAX_UMASK = 0o777;

const fieldError = (field: string, expected: string): NacreError =>
  new NacreError("invalid_argument", `${field}: expected ${expected}`, { field });

/** Without NUL. */
export function readString(value: unknown, field: string): string {
  if (typeof value === "string" && !value.includes("\0")) return value;
  throw fieldError(field, "text");
}

/** A non-negative integer. */
export function readCount(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw fieldError(field, "a count");
}

export function readBoolean(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw fieldError(field, "true or false");
}

export function readLaunch(value: unknown): PtyLaunch {
  const launch = readRequestObject(value, "launch");
  const umask = launch["umask"] === undefined ? undefined : readCount(launch["umask"], "umask");
  if (umask !== undefined && umask > MAX_UMASK) throw fieldError("umask", "a mask of permissions");
  return {
    file: readPath(launch["file"], "file"),
    args: readStrings(launch["args"], "args"),
    env: readVariables(launch["env"]),
    cwd: readPath(launch["cwd"], "cwd"),
    allowedRoots: readStrings(launch["allowedRoots"], "allowedRoots"),
    size: checkSize(launch["size"]),
    umask,
    memo: launch["memo"] === undefined ? undefined : readString(launch["memo"], "memo"),
    limits: launch["limits"] === undefined ? undefined : readLaunchLimits(launch["limits"]),
  };
}

/** Undefined where an older keeper does not say. */
function readLimitsInForce(value: unknown): LimitsInForce | undefined {
  if (value === undefined) return undefined;
  const { mechanism } = readRequestObject(value, "limits");
  if (mechanism !== "cgroup" && mechanism !== "rlimit" && mechanism !== "none") return undefined;
  return { mechanism, ...pickLimits(readLimits(value)) };
}

function readLaunchLimits(value: unknown): LaunchLimits {
  const limits = readRequestObject(value, "limits");
  return {
    asked: readLimits(limits["asked"]),
    defaults: readLimits(limits["defaults"]),
    cgroups: readBoolean(limits["cgroups"], "cgroups"),
  };
}

function readLimits(value: unknown): ProgramLimits {
  const fields = readRequestObject(value, "limits");
  const given = LIMIT_NAMES.filter((name) => fields[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, readAmount(fields[name], name)]));
}

function readAmount(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw fieldError(`limits.${field}`, "an amount");
}

function readPath(value: unknown, field: string): string {
  const path = readString(value, field);
  if (path.startsWith("/")) return path;
  throw fieldError(field, "an absolute path");
}

function readStrings(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value)) throw fieldError(field, "a list");
  return value.map((text: unknown) => readString(text, field));
}

function readVariables(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(readRequestObject(value, "env"));
  return Object.fromEntries(
    entries.map(([name, text]) => [readString(name, "env"), readString(text, `env.${name}`)]),
  );
}

function readRequestObject(value: unknown, field: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw fieldError(field, "an object");
}
