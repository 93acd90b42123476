// Kinds of programs that go on while their daemon is killed. Each writes the same bytes to its terminal and to a file of its own.

/** How a program is started. */
type Way =
  /** With a terminal of its own. */
  | "terminal"
  /** Without one. */
  | "pipe"
  /** As a command in an interactive bash. */
  | "command";

/** One kind of program; it ends when it is told to. */
export interface ProgramKind {
  readonly name: string;
  readonly way: Way;
  /** `$1` begins the names of its files: what it wrote, and who it is; `$2` is the directory with what it is told. */
  readonly script: string;
  readonly exitCode: number;
}

const UNTIL_STOPPED = 'while [ ! -e "$2/stop" ]';

/** Standard output to the terminal and to the file. */
const KEEP = 'tee -a "$1.wrote"';

/** Adds a process to those that must be there to the end. */
const NAME_SELF = 'echo $$ >>"$1.pids"';

/** What is not a terminal cannot be set so. */
const RAW = "stty raw -echo -opost";

const lines = (words: string): string =>
  `i=0; ${UNTIL_STOPPED}; do i=$((i+1)); echo "${words} $i" | ${KEEP}; sleep 0.1; done`;

/** The programs of one run, beside those that end while the daemon is away. */
export const PROGRAM_KINDS: readonly ProgramKind[] = [
  { name: "lines", way: "terminal", exitCode: 11, script: `${lines("line")}; exit 11` },
  {
    name: "command",
    way: "command",
    exitCode: 12,
    // The shell's own terminal: what it needs is put back.
    script: `${lines("command")}; stty sane; exit 12`,
  },
  {
    name: "background",
    way: "terminal",
    exitCode: 13,
    // One writes, one that no hang-up reaches and one that has left the session are silent.
    script: `sh -c '${NAME_SELF}; ${lines("background")}' sh "$1" "$2" & nohup sh -c '${NAME_SELF}; ${UNTIL_STOPPED}; do sleep 0.1; done' sh "$1" "$2" </dev/null >/dev/null 2>&1 & setsid sh -c '${NAME_SELF}; ${UNTIL_STOPPED}; do sleep 0.1; done' sh "$1" "$2" </dev/null >/dev/null 2>&1 & wait; exit 13`,
  },
  {
    name: "deaf",
    way: "terminal",
    exitCode: 14,
    script: `trap "" HUP TERM; ${lines("deaf")}; exit 14`,
  },
  {
    name: "forked",
    way: "terminal",
    exitCode: 15,
    script: `(setsid sh -c '${NAME_SELF}; ${lines("forked")}; echo >"$1.done"' sh "$1" "$2" &); while [ ! -e "$1.done" ]; do sleep 0.05; done; exit 15`,
  },
  {
    name: "screen",
    way: "terminal",
    exitCode: 16,
    script: `printf '\\033[?1049h' | ${KEEP}; i=0; ${UNTIL_STOPPED}; do i=$((i+1)); printf '\\033[H\\033[2J\\033[%d;7H\\033[7mpage %d\\033[0m' $((i%20)) $i | ${KEEP}; sleep 0.1; done; printf '\\033[?1049l' | ${KEEP}; exit 16`,
  },
  {
    name: "random",
    way: "terminal",
    exitCode: 17,
    // As much at once as it is told to, so that each kill finds it in the middle.
    script: `i=0; ${UNTIL_STOPPED}; do if [ -e "$2/burst.$i" ]; then i=$((i+1)); head -c 2000000 /dev/urandom | ${KEEP}; else sleep 0.05; fi; done; exit 17`,
  },
  { name: "pipe", way: "pipe", exitCode: 18, script: `${lines("pipe")}; exit 18` },
  {
    name: "stopped",
    way: "terminal",
    exitCode: 19,
    script: `printf before | ${KEEP}; kill -STOP $$; printf after | ${KEEP}; exit 19`,
  },
].map(({ script, way, ...kind }) => ({
  ...kind,
  way: way as Way,
  script: `${NAME_SELF}; ${way === "pipe" ? "" : `${RAW}; `}${script}`,
}));

/** A program that ends while the daemon is away, in the round of this number. */
export const endingKind = (round: number): ProgramKind => ({
  name: `ending-${round}`,
  way: "terminal",
  exitCode: 20,
  script: `${RAW}; printf begun | ${KEEP}; while [ ! -e "$2/away.${round}" ]; do sleep 0.02; done; head -c 100000 /dev/urandom | ${KEEP}; exit 20`,
});
