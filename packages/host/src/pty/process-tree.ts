/** Finds and ends everything started on a PTY, and proves that it is gone. */
import { closeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { isReadable, openProcess, signalProcess } from "./linux-calls.ts";
import { listProcesses, type ProcessFacts, readProcess } from "./process-table.ts";
import type { KillReport, ProcessIdentity, Survivor } from "./pty.ts";

/** Checks repeatedly whether a process runs, by pidfd: a tenth of the cost of a lookup. */
export class ProcessWatch implements Disposable {
  readonly #identity: ProcessIdentity;
  #descriptor: number | undefined;
  #isDisposed = false;

  constructor(identity: ProcessIdentity) {
    this.#identity = identity;
  }

  get isAlive(): boolean {
    if (!this.#isDisposed) this.#descriptor ??= this.#open();
    return this.#descriptor === undefined ? this.#isFound() : !isReadable(this.#descriptor);
  }

  /** Still usable afterwards, by lookup. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Opened before the lookup, so that both are of the same process; undefined where there is no pidfd to be had. */
  #open(): number | undefined {
    const descriptor = openProcess(this.#identity.pid);
    if (descriptor === undefined || this.#isFound()) return descriptor;
    closeSync(descriptor);
    return undefined;
  }

  #isFound(): boolean {
    const { pid, startTicks } = this.#identity;
    return readProcess(pid)?.startTicks === startTicks;
  }
}

/** What survives SIGKILL for this long hangs in the kernel and is reported. */
const MAX_KILL_MS = 5000;

/** Interval of looks at the process table while waiting for death. */
const LOOK_AGAIN_MS = 15;

export interface TreeRoot {
  readonly leader: ProcessIdentity;
  /** Value of the marker variable. */
  readonly marker: string;
  /** Clock ticks when the leader's end was seen; from then on its pid may name a stranger's session. */
  readonly leaderGoneAtTicks?: number | undefined;
  /** A cgroup that contains all of its processes. */
  readonly group?: ProcessGroup | undefined;
}

interface ProcessGroup {
  members(): ReadonlySet<number>;
  kill(): void;
}

/** False for zombies. */
export function isAlive(process: ProcessIdentity): boolean {
  const facts = readProcess(process.pid);
  return facts?.startTicks === process.startTicks && !facts.isDead;
}

/** Its session, their descendants, and whatever carries its marker. */
export async function findTree(root: TreeRoot): Promise<readonly ProcessFacts[]> {
  const candidates = (await listProcesses()).filter(
    ({ pid, startTicks }) => startTicks >= root.leader.startTicks && pid !== process.pid,
  );
  const members = root.group?.members() ?? new Set<number>();
  const found = new Set(members);
  // Our own process is never part of it, or all that it ever started would be.
  found.delete(process.pid);
  for (const facts of candidates) {
    if (!found.has(facts.pid) && isPartOfTree(facts, root)) found.add(facts.pid);
  }
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of candidates) if (found.has(parent)) found.add(pid);
  }
  const known = new Set(candidates.map(({ pid }) => pid));
  const missed = [...members].filter((pid) => !known.has(pid));
  const living = candidates.filter(({ pid, isDead }) => found.has(pid) && !isDead);
  return [...living, ...readLiving(missed)];
}

export const listTree = async (root: TreeRoot): Promise<readonly Survivor[]> =>
  (await findTree(root)).map(toSurvivor);

/** Whoever started them. */
export async function findHolders(terminalName: string): Promise<readonly Survivor[]> {
  const processes = await listProcesses();
  return processes.filter((facts) => !facts.isDead && facts.holds(terminalName)).map(toSurvivor);
}

/** SIGTERM, grace time, SIGKILL; resolves when only the survivors are left. */
export async function endTree(root: () => TreeRoot, graceMs: number): Promise<KillReport> {
  const seen = new Set<number>();
  const asked = new Set<string>();
  const startedAt = performance.now();
  let killedAt: number | undefined;
  let forced = false;
  const report = (living: readonly ProcessFacts[]): KillReport => {
    const survivors = living.map(toSurvivor);
    for (const { pid } of survivors) seen.delete(pid);
    return { ended: seen.size, forced, survivors };
  };
  for (;;) {
    const isDue = performance.now() - startedAt >= graceMs;
    // Before looking: reading the table during a fork bomb takes longer than the limit.
    for (const pid of isDue ? killGroup(root()) : []) {
      forced = true;
      seen.add(pid);
    }
    const living = await findTree(root());
    for (const { pid } of living) seen.add(pid);
    if (living.length === 0 && listMembers(root()).length === 0) return report([]);
    if (isDue) {
      forced = true;
      for (const process of living) sendSignal(process, "SIGKILL");
      killedAt ??= performance.now();
    } else {
      for (const process of living.filter((one) => !asked.has(identityKey(one)))) {
        asked.add(identityKey(process));
        askToEnd(process);
      }
    }
    await wait(LOOK_AGAIN_MS);
    if (killedAt !== undefined && performance.now() - killedAt >= MAX_KILL_MS) {
      const left = new Set([
        ...living.filter(isAlive).map(({ pid }) => pid),
        ...listMembers(root()),
      ]);
      return report(readLiving([...left]));
    }
  }
}

/** Returns what was in it. */
function killGroup(root: TreeRoot): readonly number[] {
  const members = listMembers(root);
  if (members.length > 0) root.group?.kill();
  return members;
}

const listMembers = ({ group }: TreeRoot): readonly number[] => [...(group?.members() ?? [])];

const readLiving = (pids: readonly number[]): readonly ProcessFacts[] =>
  pids
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => readProcess(pid) ?? [])
    .filter(({ isDead }) => !isDead);

/** False when it has ended or is another user's. */
export function sendSignal(process: ProcessIdentity, signal: NodeJS.Signals): boolean {
  const isStill = (pid: number): boolean => readProcess(pid)?.startTicks === process.startTicks;
  return signalProcess(process.pid, signal, isStill);
}

function askToEnd(process: ProcessFacts): void {
  sendSignal(process, "SIGTERM");
  // Interactive shells ignore SIGTERM and end on SIGHUP, as when a window closes.
  if (process.ignoresTerm()) sendSignal(process, "SIGHUP");
  sendSignal(process, "SIGCONT");
}

function isPartOfTree(
  facts: ProcessFacts,
  { leader, leaderGoneAtTicks, marker }: TreeRoot,
): boolean {
  if (facts.pid === leader.pid) return facts.startTicks === leader.startTicks;
  const isOfSession = facts.session === leader.pid;
  if (isOfSession && facts.startTicks <= (leaderGoneAtTicks ?? Infinity)) return true;
  return facts.marker() === marker;
}

const identityKey = (process: ProcessIdentity): string => `${process.pid}/${process.startTicks}`;

const toSurvivor = ({ pid, startTicks, name }: Survivor): Survivor => ({ pid, startTicks, name });
