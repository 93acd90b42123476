import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { finding, type Finding, type Library } from "./finding.ts";

const FOR_OTHERS = 0o077;

/** Could others read recordings, or take the daemon's place? */
export function checkFiles({ ownDirectories }: Library): readonly Finding[] {
  const { state, run } = ownDirectories();
  const open = [...new Set([state, run])].flatMap((directory) => openPaths(directory));
  const paths = open.slice(0, 3).join(", ");
  const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
  const advice = `Run: chmod -R go= ${state}${run.startsWith(state) ? "" : ` ${run}`}`;
  return [
    open.length === 0
      ? finding("permissions", `only you can read ${state}`)
      : finding("permissions", `others can read ${paths}${more}`, { state: "wrong", advice }),
  ];
}

/** Paths open to others, or another user's; symlinks are not followed. */
function openPaths(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const below = stats.isDirectory()
    ? readdirSync(path).flatMap((name) => openPaths(join(path, name)))
    : [];
  return isPrivate(stats) ? below : [path, ...below];
}

const isPrivate = (stats: Stats): boolean =>
  stats.isSymbolicLink() || (stats.uid === process.getuid?.() && (stats.mode & FOR_OTHERS) === 0);

/** A terminal takes a few of each. */
const FEW_FILES = 1024;
const FEW_PTYS = 64;
const FEW_WATCHES = 64;

/** Limits of this process and kernel settings, where available. */
export function checkMachine(): readonly Finding[] {
  return [openFiles(), pseudoTerminals(), fileWatches(), processReading(), locale()].flatMap(
    (found) => found ?? [],
  );
}

function openFiles(): Finding | undefined {
  const line = read("/proc/self/limits")?.match(/^Max open files +(\S+)/m)?.[1];
  if (line === undefined) return undefined;
  const count = line === "unlimited" ? Number.POSITIVE_INFINITY : Number(line);
  const advice = "Raise it: ulimit -n 65536, or LimitNOFILE= where a service runs the daemon.";
  return finding(
    "open files",
    `at most ${line}`,
    count >= FEW_FILES ? undefined : { state: "warning", advice },
  );
}

function pseudoTerminals(): Finding | undefined {
  const [max, used] = [
    readNumber("/proc/sys/kernel/pty/max"),
    readNumber("/proc/sys/kernel/pty/nr"),
  ];
  if (max === undefined || used === undefined) return undefined;
  const advice = "Raise it: sysctl kernel.pty.max=4096, or end terminals that nobody needs.";
  return finding(
    "ptys",
    `${used} of ${max} used`,
    max - used >= FEW_PTYS ? undefined : { state: "warning", advice },
  );
}

/** Control files need inotify watches. */
function fileWatches(): Finding | undefined {
  const max = readNumber("/proc/sys/fs/inotify/max_user_instances");
  if (max === undefined) return undefined;
  const advice =
    "Raise it: sysctl fs.inotify.max_user_instances=512; control files are looked for more seldom without.";
  return finding(
    "file watches",
    `at most ${max}`,
    max >= FEW_WATCHES ? undefined : { state: "warning", advice },
  );
}

/** Detecting that a program waits for input needs procfs access. */
function processReading(): Finding | undefined {
  if (process.platform !== "linux") return undefined;
  const scope = readNumber("/proc/sys/kernel/yama/ptrace_scope") ?? 0;
  const canRead = scope < 2 && read("/proc/self/syscall") !== undefined;
  const advice =
    "That a program asks for input is noticed later, or not at all: allow it with sysctl kernel.yama.ptrace_scope=1, and mount /proc without hidepid.";
  return finding(
    "waiting",
    canRead ? "can be seen in /proc" : `cannot be seen in /proc (ptrace_scope ${scope})`,
    canRead ? undefined : { state: "warning", advice },
  );
}

function locale(): Finding {
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  const name = LC_ALL || LC_CTYPE || LANG || "";
  const isUnicode = /utf-?8/i.test(name) || name === "";
  const advice = "Set LANG=C.UTF-8, or letters of other languages are shown wrong.";
  return finding(
    "locale",
    name === "" ? "not set; terminals get one with UTF-8" : name,
    isUnicode ? undefined : { state: "warning", advice },
  );
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not available on other systems.
    return undefined;
  }
}

function readNumber(path: string): number | undefined {
  const text = read(path)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function checkLimits({ findLimits }: Library): Finding {
  const { mechanism, reason, controllers, hasProcesses } = findLimits();
  if (mechanism === "cgroup") {
    return finding("limits", `a cgroup for each terminal (${controllers.join(", ")})`);
  }
  const processes = hasProcesses ? "" : ", not for the number of processes of root";
  const found =
    mechanism === "rlimit"
      ? `for each process (rlimits)${processes}; no cgroup: ${reason}`
      : "none";
  if (mechanism === "rlimit") return finding("limits", found);
  const advice = "Install util-linux, which has prlimit, to limit what programs may use.";
  return finding("limits", `${found}: ${reason}`, { state: "warning", advice });
}
