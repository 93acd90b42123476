// How system calls of a program are counted, and how one of them is made to fail or to be the last.
import { readFileSync } from "node:fs";

/** The system calls that change files or make memory of them. */
export const FILE_CALLS = [
  "pwrite64",
  "write",
  "fsync",
  "fdatasync",
  "ftruncate",
  "fallocate",
  "rename",
  "unlink",
  "openat",
  "mmap",
] as const;

/** One of them. */
export type FileCall = (typeof FILE_CALLS)[number];

/** The files of a SQLite database that calls are made on. */
export const databaseFiles = (path: string): string[] =>
  ["", "-wal", "-shm", "-journal", ".lock"].map((end) => path + end);

/** What is traced, and what is done to it. */
export interface Trace {
  /** Only calls on these files count. */
  readonly files: readonly string[];
  readonly calls: readonly FileCall[];
  /** Where each call gets a line; nowhere when absent. */
  readonly log?: string;
  /** Such as `pwrite64:error=EIO:when=3`. */
  readonly inject?: string;
}

/** The arguments of strace before the program it runs. */
export function straceArguments(trace: Trace): string[] {
  // A filter in the kernel is much faster, but a signal is never injected with it.
  const isFiltered = trace.inject === undefined || trace.inject.includes("error=");
  return ["-f", "-qq", ...(isFiltered ? ["--seccomp-bpf"] : []), ...traceArguments(trace)];
}

/** The arguments of strace to trace the main thread of a process that runs; it says when that begins. */
export const attachArguments = (trace: Trace, pid: number): string[] => [
  ...traceArguments(trace),
  "-p",
  String(pid),
];

const traceArguments = ({ files, calls, log = "/dev/null", inject }: Trace): string[] => [
  "-y",
  "-ttt",
  "-s",
  "0",
  "-o",
  log,
  ...files.flatMap((file) => ["-P", file]),
  "-e",
  `trace=${calls.join(",")}`,
  ...(inject === undefined ? [] : ["-e", `inject=${inject}`]),
];

/** One call in a log. */
export interface LoggedCall {
  /** Unix ms. */
  readonly at: number;
  readonly call: string;
  /** The file it was made on, where it names one. */
  readonly file: string | undefined;
  readonly injected: boolean;
}

const LINE = /^(?:\d+\s+)?(\d+\.\d+) (\w+)\((.*)$/;

/** Reads the calls in a log. */
export function readLog(path: string): LoggedCall[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, seconds, call, rest] = LINE.exec(line) ?? [];
      if (seconds === undefined || call === undefined || rest === undefined) return [];
      const file = /<([^<>]*recordings\.db[^<>]*)>|"([^"]*)"/.exec(rest);
      return [
        {
          at: Number(seconds) * 1000,
          call,
          file: file?.[1] ?? file?.[2],
          injected: rest.includes("(INJECTED)"),
        },
      ];
    });
}

/** How often each call is in a log; those that never happened are left out. */
export function countCalls(path: string): Map<FileCall, number> {
  const counts = new Map<FileCall, number>();
  for (const { call } of readLog(path)) {
    const known = FILE_CALLS.find((name) => name === call);
    if (known) counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return counts;
}
