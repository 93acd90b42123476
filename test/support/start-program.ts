import { spawn } from "node:child_process";

/** How a program ended, and what it said in whole lines. */
export interface Ended {
  readonly lines: readonly string[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

/** How a program is started. */
export interface ProgramOptions {
  /** Is told each whole line as it comes. */
  readonly handleLine?: (line: string) => void;
  /** What comes before Node, such as a program that traces it. */
  readonly before?: readonly string[];
}

/** A program that runs. */
export interface Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Ends it at once, with all it started. */
  kill(): void;
  /** Writes to its standard input. */
  say(text: string): void;
}

/** No program of these runs this long; one that does hangs. */
const MAX_RUN_MS = 120_000;

/** Starts a JavaScript program; a line that it could not end is not heard. */
export function startProgram(
  program: string,
  args: readonly string[],
  { handleLine, before = [] }: ProgramOptions = {},
): Program {
  const [file = "", ...rest] = [...before, process.execPath, program, ...args];
  // In a group of its own, so that what traces it ends together with it.
  const child = spawn(file, rest, { stdio: "pipe", detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const lines: string[] = [];
  let errors = "";
  let open = "";
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      // It may have ended by itself a moment ago.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  };
  const timer = setTimeout(() => {
    errors += `it still ran after ${MAX_RUN_MS / 1000} s`;
    kill();
  }, MAX_RUN_MS);
  // Whoever is gone cannot be told anything.
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...more] = text.split("\n");
    open += first;
    for (const next of more) {
      lines.push(open);
      handleLine?.(open);
      open = next;
    }
  });
  child.on("error", reject);
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    resolve({ lines, code, signal, errors });
  });
  return {
    pid: child.pid ?? 0,
    ended: promise,
    kill,
    say: (text) => void child.stdin.write(text),
  };
}
