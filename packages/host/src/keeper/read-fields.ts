// Reads the fields of requests by hand: schemas would cost the keeper half of its memory again.
import { NacreError } from "@nacre/contracts/plain";
import { checkSize } from "../pty/check-size.ts";
import {
  type LaunchLimits,
  LIMIT_NAMES,
  pickLimits,
  type LimitsInForce,
  type ProgramLimits,
} from "../pty/limits/limits.ts";
import type { PtyLaunch } from "../pty/pty.ts";

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
export function readLimitsInForce(value: unknown): LimitsInForce | undefined {
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
