import { constants } from "node:os";
import { MAX_COLS, MAX_ROWS, NacreError, type Size } from "@nacre/contracts/plain";
import type { LaunchLimits, LimitReached, LimitsInForce } from "./limits/program-limits.ts";

/** Refuses a size that the kernel would silently change; names the field as the schema does. */
export function checkSize(size: unknown): Size {
  if (typeof size !== "object" || size === null) throw refusal("size", "expected cols and rows");
  const { cols, rows, ...others }: { cols?: unknown; rows?: unknown } = size;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refusal(`size.${other}`, "unknown");
  return {
    cols: checkSide(cols, "size.cols", MAX_COLS),
    rows: checkSide(rows, "size.rows", MAX_ROWS),
  };
}

function checkSide(side: unknown, field: string, max: number): number {
  if (typeof side === "number" && Number.isInteger(side) && side >= 1 && side <= max) {
    return side;
  }
  throw refusal(field, `expected an integer from 1 to ${max}, got ${String(side)}`);
}

const refusal = (field: string, message: string): NacreError =>
  new NacreError("invalid_argument", `${field}: ${message}`, { field });

/** Beyond this, input for a program that does not read is refused. */
export const MAX_QUEUED_INPUT_BYTES = 1024 * 1024;

/** Grace time between SIGTERM and SIGKILL. */
export const DEFAULT_GRACE_MS = 1000;

/** Already checked by `prepareLaunch`; the driver checks the roots again. */
export interface PtyLaunch {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  /** Complete: a driver adds only the marker of the PTY. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Resolved; empty: anywhere. */
  readonly allowedRoots: readonly string[];
  readonly size: Size;
  /** Default: this process's. */
  readonly umask?: number | undefined;
  /** Opaque state for whoever adopts the PTY; kept by a driver whose PTYs outlive it. */
  readonly memo?: string | undefined;
  /** For the program and its descendants; default: this process's limits. */
  readonly limits?: LaunchLimits | undefined;
}

/** Nobody else uses the buffer, so that it can be transferred to another thread. */
export interface Chunk {
  /** Position of the first byte in the PTY's whole output. */
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Standard error of a program without a terminal. */
  readonly stream?: "stderr";
}

/** A code or a signal, never both, never code 0 for a signal. */
export interface PtyExit {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly limitReached?: LimitReached;
  /** Total output as far as known when the exit was reported. */
  readonly outputBytes: number;
  /** False when another program keeps the PTY open, so that more output may follow. */
  readonly drained: boolean;
}

/** From the line discipline; a field is absent where the platform cannot tell. */
export interface PtyState {
  readonly size: Size;
  readonly queuedInputBytes: number;
  readonly foregroundProcessGroup?: number;
  /** ECHO. */
  readonly echo?: boolean;
  /** ICANON. */
  readonly canonical?: boolean;
  /** IUTF8. */
  readonly utf8?: boolean;
}

/** The terminal's device numbers: the same path may name another terminal in another namespace. */
export interface TerminalDevice {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

export type LineModes = Pick<PtyState, "echo" | "canonical">;

/** What must be known right before something is typed. */
export type InputState = Pick<PtyState, "echo" | "canonical" | "queuedInputBytes">;

/** A pid with its start time, so that a reused pid does not match. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot; 0 where unknown. */
  readonly startTicks: number;
}

export interface Survivor extends ProcessIdentity {
  readonly name: string;
}

/** Resolved only when death is proven for everything but `survivors`. */
export interface KillReport {
  readonly ended: number;
  /** SIGKILL was needed. */
  readonly forced: boolean;
  /** What outlived SIGKILL, and unrelated processes that hold the terminal. */
  readonly survivors: readonly Survivor[];
}

/** The foreground job, the launched program, or everything it started. */
export type SignalTarget = "foreground" | "leader" | "tree";

/** A pseudo-terminal and its programs. Disposing ends them all at once. */
export interface Pty extends AsyncDisposable {
  /** For `PtyDriver.adopt`. */
  readonly id: string;
  readonly leader: ProcessIdentity;
  /** Absent where programs use no device file. */
  readonly device?: TerminalDevice | undefined;
  /** Limits in force; absent where unknown. */
  readonly limits?: LimitsInForce | undefined;
  /**
   * The next bytes in order; undefined at the end. One call at a time. Not calling it is the only backpressure: the
   * program then waits in the kernel. `spare` returns the buffer of an earlier chunk for reuse; a large enough one is
   * detached from the caller.
   */
  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined>;
  /**
   * Everything before the offset is recorded. Matters only where a PTY can outlive its reader: unrecorded output is
   * kept for the next reader, and beyond a bound the program waits.
   */
  acknowledge?(offset: number): void;
  /** Resolves once the program ended and all of its output is available from `read`. */
  readonly exited: Promise<PtyExit>;
  /** Queues all of the bytes or refuses all; the caller may reuse them at once. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Writes only if the line discipline is in these modes and no input is queued, checked right before the write; tells
   * whether it did. Undefined where that cannot be checked: then nothing was written.
   */
  writeIn?(modes: LineModes, bytes: Uint8Array): Promise<boolean | undefined>;
  /** EOF after what was written; absent for terminals, whose input has no end. */
  endInput?(): Promise<void>;
  resize(size: Size): Promise<void>;
  state(): Promise<PtyState>;
  /** A faster `state` for `byteCount` bytes about to be typed; never understates the queue. */
  inputState?(byteCount: number): Promise<InputState>;
  signal(signal: NodeJS.Signals, target?: SignalTarget): Promise<void>;
  /**
   * Lowers the scheduling priority of this PTY's programs, one PTY among `among`; 0 restores it. Tells whether it is
   * lowered now.
   */
  lowerPriority?(among: number): boolean;
  /** Everything started on the PTY that still runs, also after the leader's exit; absent where unknown. */
  processes?(): Promise<readonly Survivor[]>;
  /** Everything started on the PTY: SIGTERM, grace time, SIGKILL. */
  kill(graceMs?: number): Promise<KillReport>;
}

/** A PTY that ran before this driver was connected. */
export interface RunningPty {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly size: Size;
  /** The oldest byte still available. */
  readonly firstOffset: number;
  /** Present when its program has ended. */
  readonly exit?: PtyExit;
  /** From its launch. */
  readonly memo?: string;
}

/** A source of PTYs, in this process or another. */
export interface PtyDriver {
  readonly name: string;
  /** Throws a NacreError and leaves nothing behind when it fails. */
  spawn(launch: PtyLaunch): Promise<Pty>;
  /** PTYs that outlived their last reader; empty for a driver in this process. */
  list(): Promise<readonly RunningPty[]>;
  /** The first chunk starts at `fromOffset`. */
  adopt(id: string, fromOffset: number): Promise<Pty>;
}

export function checkSignal(signal: string, target: string = "foreground"): void {
  if (!Object.hasOwn(constants.signals, signal)) {
    throw new NacreError("invalid_argument", `unknown signal ${signal}`, { field: "signal" });
  }
  if (!["foreground", "leader", "tree"].includes(target)) {
    const message = `unknown target ${target}; one of foreground, leader, tree`;
    throw new NacreError("invalid_argument", message, { field: "target" });
  }
}

/** Text has to be encoded by the caller. */
export function checkBytes(bytes: unknown): void {
  if (bytes instanceof Uint8Array) return;
  throw new NacreError("invalid_argument", `expected bytes, got ${typeof bytes}`, {
    field: "bytes",
    suggestion: "Encode text first, as Buffer.from(text) does.",
  });
}

export function checkGrace(graceMs: number): void {
  if (Number.isFinite(graceMs) && graceMs >= 0) return;
  throw new NacreError("invalid_argument", `${graceMs} is not a time in milliseconds`, {
    field: "graceMs",
  });
}
