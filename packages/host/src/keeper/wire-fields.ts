// Reads the fields of requests by hand: schemas would cost the keeper half of its memory again.
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

// What the keeper answers, read with care: it may be of another version.

/** How a program ended. */
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

/** What a newer keeper may name besides is not known here, and left out. */
const readLimitReached = (value: unknown): LimitReached | undefined =>
  value === "memory" || value === "cpuTime" ? value : undefined;

/** What the line discipline says. */
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

/** What a kill did. */
export function readKillReport(fields: Fields): KillReport {
  return {
    ended: readCount(fields["ended"], "ended"),
    forced: fields["forced"] === true,
    survivors: readAnswerList(fields["survivors"], "survivors").map(readSurvivor),
  };
}

/** What still runs. */
export const readProcesses = (fields: Fields): readonly Survivor[] =>
  readAnswerList(fields["processes"], "processes").map(readSurvivor);

/** What the keeper says of a Pty. */
export interface PtyFacts {
  readonly number: number;
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly device: TerminalDevice | undefined;
  readonly limits: LimitsInForce | undefined;
}

/** What a keeper says of a Pty that is handed over. */
export function readPtyFacts(fields: Fields): PtyFacts {
  return {
    number: readCount(fields["number"], "number"),
    id: readString(fields["id"], "id"),
    leader: readProcess(readAnswerObject(fields["leader"], "leader")),
    device: readDevice(fields["device"]),
    limits: readLimitsInForce(fields["limits"]),
  };
}

/** A keeper of another version may name none, or in another way; then it is asked. */
function readDevice(value: unknown): TerminalDevice | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { path, dev, ino }: Fields = { ...value };
  if (typeof path !== "string" || typeof dev !== "number" || typeof ino !== "number")
    return undefined;
  return { path, dev, ino };
}

/** Ptys that nobody reads, with what they are for. */
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

/** A request as it came. */
export type Fields = Readonly<Record<string, unknown>>;

const MAX_UMASK = 0o777;

/** What cannot be what it should be. */
const fieldError = (field: string, expected: string): NacreError =>
  new NacreError("invalid_argument", `${field}: expected ${expected}`, { field });

/** Text without the byte that ends it for the kernel. */
export function readString(value: unknown, field: string): string {
  if (typeof value === "string" && !value.includes("\0")) return value;
  throw fieldError(field, "text");
}

/** A count from 0 on. */
export function readCount(value: unknown, field: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw fieldError(field, "a count");
}

/** A truth value. */
export function readBoolean(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw fieldError(field, "true or false");
}

/** What to start. */
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

/** What programs are held to; undefined where an older keeper does not say. */
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
