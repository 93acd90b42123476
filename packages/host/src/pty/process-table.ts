/** The process table (procfs), as far as ending programs needs it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { NacreError } from "@nacre/contracts/plain";
import { hasErrno } from "../base/errno.ts";
import type { Survivor } from "./pty.ts";

/** Finds a program again after it left its session and its parents. */
export const MARKER_VARIABLE = "NACRE_PTY_ID";

/** Processes read before other work gets a turn: about a millisecond. */
const PROCESSES_PER_TURN = 64;

/** SIGTERM in the kernel's signal masks. */
const TERM_BIT = 1n << 14n;

/** The process ended meanwhile, or is another user's. */
const NOT_OURS = ["ENOENT", "ESRCH", "EACCES", "EPERM"];

/** One process as of the reading; expensive facts are read on demand, once. */
export class ProcessFacts implements Survivor {
  readonly pid: number;
  readonly name: string;
  readonly startTicks: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly state: string;
  #marker: string | null | undefined;

  constructor(pid: number, stat: string) {
    // The name in parentheses may contain any character, so fields start after the last `)`.
    const nameEnd = stat.lastIndexOf(")");
    const fields = stat.slice(nameEnd + 2).split(" ");
    this.pid = pid;
    this.name = stat.slice(stat.indexOf("(") + 1, nameEnd);
    this.state = fields[0] ?? "";
    this.parent = Number(fields[1]);
    this.group = Number(fields[2]);
    this.session = Number(fields[3]);
    this.startTicks = Number(fields[19]);
  }

  /** Includes zombies. */
  get isDead(): boolean {
    return this.state === "Z" || this.state === "X";
  }

  /** The MARKER_VARIABLE in its environment. */
  marker(): string | null {
    this.#marker ??= readMarker(this.pid);
    return this.#marker;
  }

  /** SigIgn contains SIGTERM. */
  ignoresTerm(): boolean {
    const status = readIfOurs(() => readFileSync(`/proc/${this.pid}/status`, "latin1")) ?? "";
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & TERM_BIT) !== 0n;
  }

  /** One of its standard descriptors is this terminal. */
  holds(terminalName: string): boolean {
    return [0, 1, 2].some(
      (fd) => readIfOurs(() => readlinkSync(`/proc/${this.pid}/fd/${fd}`)) === terminalName,
    );
  }
}

/** Undefined when there is no such process. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readIfOurs(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat === undefined ? undefined : new ProcessFacts(pid, stat);
}

let nextTable: Promise<readonly ProcessFacts[]> | undefined;

/** As of a moment after the call; calls in the same turn share one reading. */
export function listProcesses(): Promise<readonly ProcessFacts[]> {
  nextTable ??= readTable();
  return nextTable;
}

async function readTable(): Promise<readonly ProcessFacts[]> {
  await nextTurn();
  // Later callers must not get a table from before their question.
  nextTable = undefined;
  const found: ProcessFacts[] = [];
  const entries = readIfOurs(() => readdirSync("/proc")) ?? [];
  const pids = entries.map(Number).filter(Number.isInteger);
  for (const [index, pid] of pids.entries()) {
    if (index % PROCESSES_PER_TURN === PROCESSES_PER_TURN - 1) await nextTurn();
    const facts = readProcess(pid);
    if (facts) found.push(facts);
  }
  return found;
}

function readMarker(pid: number): string | null {
  const environment = readIfOurs(() => readFileSync(`/proc/${pid}/environ`, "latin1")) ?? "";
  const prefix = `${MARKER_VARIABLE}=`;
  const entry = environment.split("\0").find((variable) => variable.startsWith(prefix));
  return entry?.slice(prefix.length) ?? null;
}

function readIfOurs<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (cause) {
    if (hasErrno(cause, ...NOT_OURS)) return undefined;
    // Any other error must not pass for "no such process".
    const message = `the process table cannot be read: ${String(cause)}`;
    throw new NacreError("unavailable", message, { cause });
  }
}
