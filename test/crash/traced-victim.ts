import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Ended, startProgram } from "../support/start-program.ts";
import { attachArguments, straceArguments, type Trace } from "../support/strace.ts";
import { hear } from "./said.ts";

/** Runs a victim to its end and traces it, where possible only from the moment in which it waits: tracing its start takes longer than all else. */
export async function runTraced(
  program: string,
  args: readonly string[],
  trace: Trace,
): Promise<Ended> {
  if (!mayAttach()) {
    const before = ["strace", ...straceArguments(trace)];
    return startProgram(program, args, { before }).ended;
  }
  const isWaiting = Promise.withResolvers<void>();
  const victim = startProgram(program, [...args, "wait"], {
    handleLine: (line) => {
      if (hear(line).say === "waiting") isWaiting.resolve();
    },
  });
  await Promise.race([isWaiting.promise, victim.ended]);
  const tracer = await attach(victim.pid, trace);
  victim.say("\n");
  const [ended] = await Promise.all([victim.ended, tracer.ended]);
  return ended;
}

/** Some systems let nobody but the superuser trace a process that is not its own child. */
function mayAttach(): boolean {
  if (process.getuid?.() === 0) return true;
  try {
    return readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").trim() === "0";
  } catch {
    return true; // There is no such restriction in this kernel.
  }
}

/** Resolves once the process is traced. */
async function attach(pid: number, trace: Trace): Promise<{ readonly ended: Promise<void> }> {
  const tracer = spawn("strace", attachArguments(trace, pid), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const attached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let said = "";
  tracer.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (/ attached/.test(said)) attached.resolve();
  });
  tracer.on("error", attached.reject);
  tracer.on("close", () => {
    attached.reject(new Error(`strace could not attach: ${said}`));
    ended.resolve();
  });
  await attached.promise;
  return { ended: ended.promise };
}
