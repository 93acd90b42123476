// What the keeper answers, read with care: it may be of another version.
import { NacreError, type Size } from "@nacre/contracts/plain";
import { checkSize } from "../pty/check-size.ts";
import { checkSignal, type KillReport, type ProcessIdentity, type PtyExit } from "../pty/pty.ts";
import type { PtyState, RunningPty, Survivor, TerminalDevice } from "../pty/pty.ts";
import type { LimitReached, LimitsInForce } from "../pty/limits/limits.ts";
import {
  type Fields,
  readCount,
  readBoolean,
  readLimitsInForce,
  readString,
} from "./read-fields.ts";

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
