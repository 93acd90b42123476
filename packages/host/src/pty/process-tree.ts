/** Finds and ends everything that was started on a Pty, and proves that it is gone. */
import { setTimeout as wait } from "node:timers/promises";
import { signalProcess } from "./linux-calls.ts";
import { listProcesses, type ProcessFacts, readProcess } from "./process-table.ts";
import type { KillReport, ProcessIdentity, Survivor } from "./pty.ts";

/** How long SIGKILL may take; what is left then hangs in the kernel and is reported. */
const MAX_KILL_MS = 5000;

/** How often the process table is looked at while waiting for death. */
const LOOK_AGAIN_MS = 15;

/** Everything that `findTree` needs to know of a Pty. */
export interface TreeRoot {
  readonly leader: ProcessIdentity;
  /** Value of the marker variable in the environment of what was started. */
  readonly marker: string;
  /** Clock ticks when the leader's end was seen; from then on its number may name a stranger's session. */
  readonly leaderGoneAtTicks?: number | undefined;
  /** What knows all of its processes, and can kill them at once, where there is such a thing. */
  readonly group?: ProcessGroup | undefined;
}

interface ProcessGroup {
  members(): ReadonlySet<number>;
  kill(): void;
}

/** True while the process runs; a zombie has ended and only waits for its parent. */
export function isAlive(process: ProcessIdentity): boolean {
  const facts = readProcess(process.pid);
  return facts?.startTicks === process.startTicks && !facts.isDead;
}

/** All living processes of a Pty: its session, their descendants, and whatever carries its marker. */
export async function findTree(root: TreeRoot): Promise<readonly ProcessFacts[]> {
  const candidates = (await listProcesses()).filter(
    ({ startTicks }) => startTicks >= root.leader.startTicks,
  );
  const found = new Set<number>(root.group?.members());
  for (const facts of candidates) if (belongs(facts, root)) found.add(facts.pid);
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of candidates) if (found.has(parent)) found.add(pid);
  }
  return candidates.filter(({ pid, isDead }) => found.has(pid) && !isDead);
}

/** Processes that hold the terminal of this name open, whoever started them. */
export async function findHolders(terminalName: string): Promise<readonly Survivor[]> {
  const processes = await listProcesses();
  return processes.filter((facts) => !facts.isDead && facts.holds(terminalName)).map(toSurvivor);
}

/** Ends a tree with SIGTERM, a grace time and SIGKILL; resolves when nothing of it is left but the survivors. */
export async function endTree(root: () => TreeRoot, graceMs: number): Promise<KillReport> {
  const seen = new Set<string>();
  const asked = new Set<string>();
  const startedAt = performance.now();
  let forced = false;
  for (;;) {
    const living = await findTree(root());
    for (const process of living) seen.add(keyOf(process));
    const waitedMs = performance.now() - startedAt;
    if (living.length === 0 || waitedMs >= graceMs + MAX_KILL_MS) {
      return { ended: seen.size - living.length, forced, survivors: living.map(toSurvivor) };
    }
    if (waitedMs >= graceMs) {
      forced = true;
      root().group?.kill();
      for (const process of living) send(process, "SIGKILL");
    } else {
      for (const process of living.filter((one) => !asked.has(keyOf(one)))) {
        asked.add(keyOf(process));
        askToEnd(process);
      }
    }
    await wait(LOOK_AGAIN_MS);
  }
}

/** Sends a signal to exactly this process; false when it has ended or is another user's. */
export function send(process: ProcessIdentity, signal: NodeJS.Signals): boolean {
  const isStill = (pid: number): boolean => readProcess(pid)?.startTicks === process.startTicks;
  return signalProcess(process.pid, signal, isStill);
}

function askToEnd(process: ProcessFacts): void {
  send(process, "SIGTERM");
  // Interactive shells ignore SIGTERM and end on a hang-up, as they do when a window closes.
  if (process.ignoresTerm()) send(process, "SIGHUP");
  send(process, "SIGCONT");
}

function belongs(facts: ProcessFacts, { leader, leaderGoneAtTicks, marker }: TreeRoot): boolean {
  if (facts.pid === leader.pid) return facts.startTicks === leader.startTicks;
  const isOfSession = facts.session === leader.pid;
  if (isOfSession && facts.startTicks <= (leaderGoneAtTicks ?? Infinity)) return true;
  return facts.marker() === marker;
}

const keyOf = (process: ProcessIdentity): string => `${process.pid}/${process.startTicks}`;

const toSurvivor = ({ pid, startTicks, name }: Survivor): Survivor => ({ pid, startTicks, name });
