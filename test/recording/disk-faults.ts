// Makes single system calls of a recording program fail, and checks that it says so, recovers, and counts what it lost.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { openSqliteReader } from "../../packages/host/src/store/sqlite-store.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { startProgram } from "../support/start-program.ts";
import { databaseFiles, type FileCall, readLog, straceArguments } from "../support/strace.ts";
import { checkOffered } from "./check-offered.ts";
import type { FaultReport } from "./fault-said.ts";

/** Which calls fail: the one with this number, or so many from it on. */
export interface Fault {
  readonly call: FileCall;
  readonly error: "ENOSPC" | "EIO";
  readonly number: number;
  readonly count: number;
  readonly durability: "process" | "power";
}

/** What a fault led to. */
export interface FaultOutcome {
  /** How many calls failed. */
  readonly injected: number;
  /** Whether the store could not be opened. */
  readonly refused: boolean;
  readonly degraded: boolean;
  /** From the first call that failed to the report, in ms; absent where nothing had to be reported. */
  readonly reportedAfterMs?: number;
  readonly lostBytes: number;
  readonly gaps: number;
}

/** Says what a fault is, as strace does. */
const describeFault = ({ call, error, number, count, durability }: Fault): string =>
  `${call}:error=${error}:when=${number}..${number + count - 1} (${durability})`;

/** Runs a recording program through a fault; throws when something was lost, miscounted, or not reported. */
export async function runFault(program: string, fault: Fault): Promise<FaultOutcome> {
  using own = ownDirectory();
  const directory = own.path;
  try {
    return await runFaultIn(directory, program, fault);
  } catch (error) {
    const kept = `${directory}-failed`;
    cpSync(directory, kept, { recursive: true });
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message} (${describeFault(fault)}; its files are kept in ${kept})`, {
      cause: error,
    });
  }
}

async function runFaultIn(directory: string, program: string, fault: Fault): Promise<FaultOutcome> {
  const path = join(directory, "recordings.db");
  const log = join(directory, "log");
  const { call, error, number, count } = fault;
  const inject = `${call}:error=${error}:when=${number}..${number + count - 1}`;
  const trace = { files: databaseFiles(path), calls: [call], inject, log };
  const before = ["strace", ...straceArguments(trace)];
  const report = await record(program, [directory, fault.durability], before);
  const injected = readLog(log).filter((logged) => logged.injected);
  if (report.refusals.length > 0) {
    // What could not be opened must be as if nobody had tried.
    const again = await record(program, [directory, fault.durability], []);
    return {
      ...checkReport(path, again),
      injected: injected.length,
      refused: true,
      degraded: false,
    };
  }
  const found = checkReport(path, report);
  const degraded = report.states.find(({ state }) => state === "degraded");
  const firstAt = injected[0]?.at;
  const reportedAfterMs = degraded && firstAt !== undefined ? degraded.at - firstAt : undefined;
  // What fails while the log is folded into the store is done again with the next commit, and costs nothing.
  const isCommit = injected.some(({ file }) => call === "pwrite64" && file?.endsWith("-wal"));
  if (isCommit && !degraded) throw new Error("a commit failed and nobody was told");
  const lastState = report.states.at(-1);
  if (lastState?.state === "degraded") throw new Error(`it never recovered: ${lastState.message}`);
  return {
    ...found,
    injected: injected.length,
    refused: false,
    degraded: degraded !== undefined,
    ...(reportedAfterMs === undefined ? {} : { reportedAfterMs }),
  };
}

async function record(
  program: string,
  args: readonly string[],
  before: readonly string[],
): Promise<FaultReport> {
  const { lines, code, errors } = await startProgram(program, args, { before }).ended;
  if (code !== 0) throw new Error(`the program failed: ${errors}`);
  return JSON.parse(lines.at(-1) ?? "null") as FaultReport;
}

function checkReport(path: string, report: FaultReport): { lostBytes: number; gaps: number } {
  using store = openSqliteReader(path);
  let lostBytes = 0;
  let gaps = 0;
  for (const terminal of report.terminals) {
    const found = checkOffered(store, terminal);
    lostBytes += found.lostBytes;
    gaps += found.gaps;
    const reported = report.reportedGaps[terminal.uid] ?? 0;
    if (reported !== found.lostBytes) {
      throw new Error(
        `${terminal.uid}: ${found.lostBytes} bytes are in gaps, ${reported} were reported`,
      );
    }
  }
  return { lostBytes, gaps };
}
