import { constants } from "node:os";
import { MAX_COLS, MAX_ROWS, NacreError, type Size } from "@nacre/contracts/plain";
import type { LaunchLimits, LimitReached, LimitsInForce } from "./limits/program-limits.ts";

/** Refuses what the kernel would quietly turn into another size, or names the offending field as the schema does. */
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

/** The most input that waits for a program that does not read; more is refused, so a stuck program holds no memory. */
export const MAX_QUEUED_INPUT_BYTES = 1024 * 1024;

/** How long programs may take to end by themselves after SIGTERM before SIGKILL. */
export const DEFAULT_GRACE_MS = 1000;

/** What to start on a new Pty; already checked by `prepareLaunch`, and held to its roots again by the driver. */
export interface PtyLaunch {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: a driver adds nothing of its own process to it but the marker of the Pty. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Directories the program may be started in or below, symbolic links resolved; empty means anywhere. */
  readonly allowedRoots: readonly string[];
  readonly size: Size;
  /** Which permissions files that the program makes do not get; as for this process when absent. */
  readonly umask?: number | undefined;
  /** What whoever adopts the Pty has to know of it; a driver whose Ptys outlive it keeps it, and never looks at it. */
  readonly memo?: string | undefined;
  /** What the program and all that it starts may use; whatever this process may when absent. */
  readonly limits?: LaunchLimits | undefined;
}

/** Bytes read from the Pty at once. Nobody else uses their buffer, so that it can be transferred to another thread. */
export interface Chunk {
  /** Position of the first byte in everything this Pty ever wrote. */
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Present when a program without a terminal wrote it to its standard error. */
  readonly stream?: "stderr";
}

/** How the program of a Pty ended: a code or a signal, never both, never code 0 for a signal. */
export interface PtyExit {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  /** Present when it was ended because it reached a limit. */
  readonly limitReached?: LimitReached;
  /** How many bytes the Pty wrote in all, as far as known when the exit was reported. */
  readonly outputBytes: number;
  /** False when another program keeps the Pty open, so that more output may follow. */
  readonly drained: boolean;
}

/** What the line discipline says now; a field is absent where the platform cannot tell. */
export interface PtyState {
  readonly size: Size;
  readonly queuedInputBytes: number;
  readonly foregroundProcessGroup?: number;
  /** Typed characters are shown. */
  readonly echo?: boolean;
  /** Input is handed over by lines. */
  readonly canonical?: boolean;
  /** The kernel erases whole UTF-8 characters. */
  readonly utf8?: boolean;
}

/** The file by which programs reach a terminal: a path may lead to another one where others look. */
export interface TerminalDevice {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

/** How the line discipline treats what is typed. */
export type LineModes = Pick<PtyState, "echo" | "canonical">;

/** What has to be known right before something is typed. */
export type InputState = Pick<PtyState, "echo" | "canonical" | "queuedInputBytes">;

/** One process, named so that a recycled number cannot be mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; 0 where the platform does not tell. */
  readonly startTicks: number;
}

/** A process with the name people know it by. */
export interface Survivor extends ProcessIdentity {
  readonly name: string;
}

/** What `kill` did; resolved only when death is proven for everything but `survivors`. */
export interface KillReport {
  /** How many processes ended. */
  readonly ended: number;
  /** True when SIGKILL was needed. */
  readonly forced: boolean;
  /** What outlived SIGKILL, and what still holds the terminal although nothing ties it to the launch. */
  readonly survivors: readonly Survivor[];
}

/** Whom a signal is for: the job that has the terminal, the program that was launched, or everything it started. */
export type SignalTarget = "foreground" | "leader" | "tree";

/** The operating system's pseudo-terminal and the programs on it. Disposing ends them all at once. */
export interface Pty extends AsyncDisposable {
  /** Names the Pty to `PtyDriver.adopt`. */
  readonly id: string;
  readonly leader: ProcessIdentity;
  /** Where programs reach the terminal, if they do so by a file. */
  readonly device?: TerminalDevice | undefined;
  /** What its programs are held to; absent where nobody knows. */
  readonly limits?: LimitsInForce | undefined;
  /**
   * Resolves with the next bytes, in order, or undefined when no more can come. One call at a time.
   * Not calling it is the only back-pressure there is: the program then waits in the kernel.
   * A reader that is done with the bytes of an earlier chunk may give them back as `spare`, to be filled again; a large
   * enough buffer is then taken away from it.
   */
  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined>;
  /**
   * Everything before the offset is recorded. Only where a Pty can outlive its reader is that of use: what was read and
   * not recorded is kept there, so that the next reader can have it, and with too much of it the program waits.
   */
  acknowledge?(offset: number): void;
  /** Resolves once the program ended and everything it wrote can be had from `read`. */
  readonly exited: Promise<PtyExit>;
  /** Queues all of the bytes or refuses all of them; the caller may reuse them at once. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Writes only while the line discipline is in these modes and nothing waits before it, which is looked at right before the
   * write; tells whether it did. Undefined where nobody can look that closely: then nothing was written either.
   */
  writeIn?(modes: LineModes, bytes: Uint8Array): Promise<boolean | undefined>;
  /** Lets the program find the end of its input after what was written; only where input has an end, which that of a terminal has not. */
  endInput?(): Promise<void>;
  resize(size: Size): Promise<void>;
  state(): Promise<PtyState>;
  /** The part of it that matters for so many bytes that are about to be typed, where that is sooner known; no more wait than it says. */
  inputState?(byteCount: number): Promise<InputState>;
  signal(signal: NodeJS.Signals, target?: SignalTarget): Promise<void>;
  /** Lets the operating system prefer others to the programs on the Pty, which are those of one Pty among so many, or not for 0; tells whether it does so now. */
  lowerPriority?(among: number): boolean;
  /** What was started on the Pty and still runs, also behind the program's end; absent where the driver cannot tell. */
  processes?(): Promise<readonly Survivor[]>;
  /** Ends everything that was started on the Pty: SIGTERM, a grace time, SIGKILL. */
  kill(graceMs?: number): Promise<KillReport>;
}

/** A Pty that was running before this driver was connected. */
export interface RunningPty {
  readonly id: string;
  readonly leader: ProcessIdentity;
  readonly size: Size;
  /** The oldest byte that can still be read. */
  readonly firstOffset: number;
  /** Present when its program has ended meanwhile. */
  readonly exit?: PtyExit;
  /** That of its launch. */
  readonly memo?: string;
}

/** One way to get Ptys from an operating system, in this process or another. */
export interface PtyDriver {
  readonly name: string;
  /** Starts the program, or throws a NacreError and leaves nothing behind. */
  spawn(launch: PtyLaunch): Promise<Pty>;
  /** Ptys that outlived their last reader; a driver in this process never has any. */
  list(): Promise<readonly RunningPty[]>;
  /** Takes over a running Pty; the first chunk read starts at `fromOffset`. */
  adopt(id: string, fromOffset: number): Promise<Pty>;
}

/** Refuses what this system does not know as a signal, and whom it could not be for. */
export function checkSignal(signal: string, target: string = "foreground"): void {
  if (!Object.hasOwn(constants.signals, signal)) {
    throw new NacreError("invalid_argument", `unknown signal ${signal}`, { field: "signal" });
  }
  if (!["foreground", "leader", "tree"].includes(target)) {
    const message = `unknown target ${target}; one of foreground, leader, tree`;
    throw new NacreError("invalid_argument", message, { field: "target" });
  }
}

/** Refuses what is not bytes: text has to be encoded by whoever knows how. */
export function checkBytes(bytes: unknown): void {
  if (bytes instanceof Uint8Array) return;
  throw new NacreError("invalid_argument", `expected bytes, got ${typeof bytes}`, {
    field: "bytes",
    suggestion: "Encode text first, as Buffer.from(text) does.",
  });
}

/** Refuses a grace time that is not a number of milliseconds. */
export function checkGrace(graceMs: number): void {
  if (Number.isFinite(graceMs) && graceMs >= 0) return;
  throw new NacreError("invalid_argument", `${graceMs} is not a time in milliseconds`, {
    field: "graceMs",
  });
}
