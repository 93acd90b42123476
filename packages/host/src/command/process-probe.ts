import { readThreadWait, type TtyReadState } from "./blocked-read.ts";
import {
  listNumericEntries,
  type ProcessStat,
  readCmdline,
  readProcFile,
  readStat,
} from "./proc-files.ts";

/** Shell options that take a value. */
const WITH_VALUE = /^(?:--rcfile|--init-file|--init-command|[-+][oO]|-C)$/;

/** `-c`, also joined with other one-letter options: the shell runs this line. */
const WITH_LINE = /^(?:-[a-zA-Z]{0,3}c[a-zA-Z]{0,3}|--command(?:=.*)?)$/;

/** Interactive, or reads from stdin, whatever else is given. */
const READS_LINES = /^(?:-[a-zA-Z]{0,3}[is][a-zA-Z]{0,3}|--interactive)$/;

/** Whether a shell's arguments make it run a script or a `-c` line, so that it never shows a prompt. */
export function runsScript(words: readonly string[]): boolean {
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? "";
    if (WITH_LINE.test(word)) return true;
    if (READS_LINES.test(word)) return false;
    if (WITH_VALUE.test(word)) index++;
    else if (!/^[-+]/.test(word)) return word !== "";
  }
  return false;
}

/** A larger tree is at work, not waiting for a key. */
const MAX_PROCESSES = 64;

/** The first threads read the terminal and start programs, if any do. */
const MAX_THREADS = 32;

/** Limit of the scan where the kernel does not list children (CONFIG_PROC_CHILDREN). */
const MAX_SCANNED = 4096;

/** Shells by their kernel name (comm). */
const SHELLS = new Set(
  "bash zsh fish sh dash ash busybox ksh ksh93 mksh oksh yash tcsh csh rc nu elvish xonsh pwsh".split(
    " ",
  ),
);

/** Programs that hand what is typed to a terminal of their own, in which a shell may run, by the names the kernel knows them by. */
const RELAYS = new Set([
  ..."script ssh mosh-client telnet sudo doas su screen docker podman nerdctl kubectl oc lxc".split(
    " ",
  ),
  ..."machinectl vagrant socat expect dtach abduco zellij".split(" "),
  "tmux: client",
  "nacre attach",
]);

/** Which terminal to look at. */
export interface ProbedTerminal {
  readonly leaderPid: number;
  readonly foregroundProcessGroup: number;
}

export interface LeaderFacts {
  readonly name: string;
  /** False for a shell that runs a script. */
  readonly isShell: boolean;
  /** Changes with every exec. */
  readonly image: string;
}

export interface ForegroundFacts {
  /** The foreground group. */
  readonly reading: TtyReadState;
  /** `no` unless the leader is in the foreground. */
  readonly leaderReading: TtyReadState;
  readonly leader: LeaderFacts;
  /** Another program than the leader that has the terminal: a shell that reads commands, or one that hands keys on to a terminal of its own. */
  readonly foreground: "shell" | "relay" | undefined;
}

/** One look; undefined where not on Linux, or once the leader is gone. */
export async function readForeground({
  leaderPid,
  foregroundProcessGroup,
}: ProbedTerminal): Promise<ForegroundFacts | undefined> {
  const stat = readStat(leaderPid);
  if (!stat) return undefined;
  const terminalPaths = ["/dev/tty", "/dev/console"];
  if (stat.terminalNumber !== undefined) terminalPaths.push(`/dev/pts/${stat.terminalNumber}`);
  const leader = {
    name: stat.name,
    isShell: isShell(stat),
    image: stat.image === "" ? stat.name : stat.image,
  };
  const { members, isWhole } = findGroup(leaderPid, foregroundProcessGroup);
  const readings = new Map<number, TtyReadState>();
  for (const { pid, state } of members) {
    readings.set(pid, isStopped(state) ? "no" : await readProcess(pid, terminalPaths));
  }
  if (!isWhole || members.length === 0) readings.set(0, "unknown");
  return {
    reading: strongest([...readings.values()]),
    leaderReading: readings.get(leaderPid) ?? "no",
    leader,
    foreground: foregroundOf(
      members.find(({ pid }) => pid === foregroundProcessGroup),
      leaderPid,
    ),
  };
}

/** The interactive shell in the foreground: the leader, another one, or none. */
export function readForegroundShell(leaderPid: number): "leader" | "nested" | undefined {
  const leader = readStat(leaderPid);
  const first = leader && readStat(leader.foregroundGroup);
  if (!first || !isShell(first)) return undefined;
  return first.pid === leaderPid ? "leader" : "nested";
}

function foregroundOf(first: ProcessStat | undefined, leaderPid: number) {
  if (!first) return undefined;
  if (RELAYS.has(first.name)) return "relay";
  return first.pid !== leaderPid && isShell(first) ? "shell" : undefined;
}

const isShell = ({ pid, name }: ProcessStat): boolean =>
  SHELLS.has(name) && !runsScript(readCmdline(pid));

async function readProcess(pid: number, terminalPaths: readonly string[]): Promise<TtyReadState> {
  const readings: TtyReadState[] = [];
  for (const threadId of listNumericEntries(`/proc/${pid}/task`).slice(0, MAX_THREADS)) {
    const reading = await readThreadWait({ pid, threadId, terminalPaths });
    if (reading === "reads") return reading;
    readings.push(reading);
  }
  return strongest(readings);
}

/** The living processes of a group, found from the leader down; `isWhole` is false when there were too many. */
function findGroup(leaderPid: number, group: number) {
  const members: ProcessStat[] = [];
  const seen = new Set<number>();
  // The group leader may have been reparented, so it is checked by itself.
  const waiting = [leaderPid, group];
  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    if (seen.has(pid)) continue;
    if (seen.size >= MAX_PROCESSES) return { members, isWhole: false };
    seen.add(pid);
    const stat = readStat(pid);
    if (!stat) continue;
    if (stat.group === group && stat.state !== "Z") members.push(stat);
    const children = listChildren(pid);
    if (children === undefined) return scanGroup(group);
    waiting.push(...children);
  }
  return { members, isWhole: true };
}

/** Undefined where the kernel keeps no list. */
function listChildren(pid: number): readonly number[] | undefined {
  const threads = listNumericEntries(`/proc/${pid}/task`).slice(0, MAX_THREADS);
  const files = threads.map((thread) => readProcFile(`/proc/${pid}/task/${thread}/children`));
  const texts = files.filter((file) => file !== undefined && file !== "denied");
  if (texts.length === 0 && readStat(pid)) return undefined;
  return texts.flatMap(({ text }) => text.split(" ").filter(Boolean).map(Number));
}

function scanGroup(group: number) {
  const pids = listNumericEntries("/proc");
  const stats = pids.slice(0, MAX_SCANNED).map(readStat);
  const members = stats.filter((stat) => stat?.group === group && stat.state !== "Z");
  return {
    members: members.filter((stat) => stat !== undefined),
    isWhole: pids.length <= MAX_SCANNED,
  };
}

const isStopped = (state: string): boolean => state === "T" || state === "t";

function strongest(readings: readonly TtyReadState[]): TtyReadState {
  const order: readonly TtyReadState[] = ["reads", "polls", "unknown", "no"];
  return order.find((reading) => readings.includes(reading)) ?? "no";
}
