/** Finds and ends everything that was started on a Pty, and proves that it is gone. */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { signalProcess } from "./linux-calls.ts";
import type { KillReport, ProcessIdentity, Survivor } from "./pty.ts";

/** The variable by which a program is found again after it left its session and its parents. */
export const MARKER_VARIABLE = "NACRE_PTY_ID";

/** How many processes are looked at before other work gets a turn: about half a millisecond. */
const PROCESSES_PER_TURN = 64;

/** How long SIGKILL may take; what is left then hangs in the kernel and is reported. */
const MAX_KILL_MS = 5000;

/** How often the process table is looked at while waiting for death. */
const LOOK_AGAIN_MS = 15;

const TERM_BIT = 1n << 14n;

interface ProcessFacts extends Survivor {
  readonly state: string;
  readonly parent: number;
  readonly session: number;
}

/** Everything that `findTree` needs to know of a Pty. */
export interface TreeRoot {
  readonly leader: ProcessIdentity;
  /** Value of MARKER_VARIABLE in the environment of what was started. */
  readonly marker: string;
  /** Clock ticks when the leader's end was seen; from then on its number may name a stranger's session. */
  readonly leaderGoneAtTicks?: number;
}

/** The facts of one process, or undefined when there is no such process. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readProcFile(pid, "stat");
  // The name is in parentheses and may itself contain any character, so the fields start after the last one.
  const nameEnd = stat?.lastIndexOf(")") ?? -1;
  if (stat === undefined || nameEnd < 0) return undefined;
  const fields = stat.slice(nameEnd + 2).split(" ");
  return {
    pid,
    name: stat.slice(stat.indexOf("(") + 1, nameEnd),
    state: fields[0]!,
    parent: Number(fields[1]),
    session: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}

/** Clock ticks since boot, on the scale of `startTicks`, rounded up. */
export function nowTicks(): number {
  return Math.ceil(Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 100);
}

/** True while the process runs; a zombie has ended and only waits for its parent. */
export function isAlive(process: ProcessIdentity): boolean {
  const facts = readProcess(process.pid);
  return facts?.startTicks === process.startTicks && facts.state !== "Z" && facts.state !== "X";
}

/** All living processes of a Pty: its session, their descendants, and whatever carries its marker. */
export async function findTree(root: TreeRoot): Promise<readonly Survivor[]> {
  const candidates = await listSince(root.leader.startTicks);
  const found = new Map<number, ProcessFacts>();
  for (const facts of candidates) if (belongs(facts, root)) found.set(facts.pid, facts);
  let added = true;
  while (added) {
    added = false;
    for (const facts of candidates) {
      if (found.has(facts.pid) || !found.has(facts.parent)) continue;
      found.set(facts.pid, facts);
      added = true;
    }
  }
  return [...found.values()].filter(({ state }) => state !== "Z" && state !== "X");
}

/** Ends a tree with SIGTERM, a grace time and SIGKILL; resolves when nothing of it is left but the survivors. */
export async function endTree(root: () => TreeRoot, graceMs: number): Promise<KillReport> {
  const seen = new Set<string>();
  const asked = new Set<string>();
  const startedAt = performance.now();
  const deadline = startedAt + graceMs + MAX_KILL_MS;
  let forced = false;
  for (;;) {
    const living = await findTree(root());
    for (const process of living) seen.add(keyOf(process));
    const isOver = performance.now() >= deadline;
    if (living.length === 0 || isOver) {
      return { ended: seen.size - living.length, forced, survivors: living.map(toSurvivor) };
    }
    if (performance.now() - startedAt >= graceMs) {
      forced = true;
      for (const process of living) send(process, "SIGKILL");
    } else {
      for (const process of living) {
        if (asked.has(keyOf(process))) continue;
        asked.add(keyOf(process));
        askToEnd(process);
      }
    }
    await wait(LOOK_AGAIN_MS);
  }
}

/** Sends a signal to each process of a tree, once. */
export async function signalTree(root: TreeRoot, signal: NodeJS.Signals): Promise<void> {
  for (const process of await findTree(root)) send(process, signal);
}

/** Sends a signal to exactly this process, or to nobody when it has ended. */
export function send(process: ProcessIdentity, signal: NodeJS.Signals): void {
  signalProcess(process.pid, signal, (pid) => readProcess(pid)?.startTicks === process.startTicks);
}

function askToEnd(process: ProcessIdentity): void {
  send(process, "SIGTERM");
  // Interactive shells ignore SIGTERM and end on a hang-up, as they do when a window closes.
  if (ignoresTerm(process.pid)) send(process, "SIGHUP");
  send(process, "SIGCONT");
}

function ignoresTerm(pid: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProcFile(pid, "status") ?? "")?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & TERM_BIT) !== 0n;
}

function belongs(facts: ProcessFacts, root: TreeRoot): boolean {
  const { leader, leaderGoneAtTicks } = root;
  if (facts.pid === leader.pid) return facts.startTicks === leader.startTicks;
  if (facts.session === leader.pid && facts.startTicks <= (leaderGoneAtTicks ?? Infinity)) {
    return true;
  }
  const environment = readProcFile(facts.pid, "environ");
  return environment?.split("\0").includes(`${MARKER_VARIABLE}=${root.marker}`) ?? false;
}

async function listSince(startTicks: number): Promise<readonly ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  let looked = 0;
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    if (++looked % PROCESSES_PER_TURN === 0) await nextTurn();
    const facts = readProcess(pid);
    if (facts && facts.startTicks >= startTicks) found.push(facts);
  }
  return found;
}

function readProcFile(pid: number, name: "stat" | "status" | "environ"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return undefined; // Ended meanwhile, or another user's: not ours to know.
  }
}

const keyOf = (process: ProcessIdentity): string => `${process.pid}/${process.startTicks}`;

const toSurvivor = ({ pid, startTicks, name }: Survivor): Survivor => ({ pid, startTicks, name });
