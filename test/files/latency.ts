// How long an agent waits for its answers, with hostile files and long requests beside it.
import { execFileSync } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import { CONTROL_NAMES } from "../../packages/host/src/transports/files/control-file-request.ts";
import type { Answered, FileAgent } from "../support/file-agent.ts";
import type { Run } from "../support/target.ts";
import { openServed } from "./served-directory.ts";

type Progress = Run["progress"];

/** Agents are not held back by how often they may ask: what is measured is the way of one request. */
const FAST = { limits: { requestsPerSecond: 100_000 } };

/** Something that is no file must be answered within this. */
const MAX_REFUSAL_MS = 100;

/** What an `exec` may take longer than its command. */
const MAX_OVERHEAD_MS = 100;

/** What FIFOs may add: less than anybody notices, more than two runs differ by. */
const MAX_ADDED_MS = 10;

const FIFOS = 64;

const WARM_UP = 5;

const KINDS: Readonly<Record<string, (path: string) => Promise<void>>> = {
  link: (path) => symlink("/etc/passwd", path),
  FIFO: async (path) => void execFileSync("mkfifo", [path]),
  // Only root may make one.
  ...(process.getuid?.() === 0
    ? { device: async (path: string) => void execFileSync("mknod", [path, "c", "1", "5"]) }
    : {}),
};

/** Puts each kind into the place of a control file; throws when it is not refused soon. */
export async function measureRefusals(count: number, progress: Progress): Promise<string> {
  await using served = await openServed(FAST);
  const { agent } = served;
  const words: string[] = [];
  let isMissed = false;
  for (const [kind, make] of Object.entries(KINDS)) {
    const tookMs: number[] = [];
    let before: Answered | undefined;
    for (let index = 0; index < count; index++) {
      const path = agent.path("control", "exec.json");
      await rm(path, { force: true });
      // It is seen that the one before is gone before the next one lies there.
      before = await agent.ask("resume");
      await make(path);
      const startedMs = performance.now();
      const { request_id } = before;
      const { error } = await agent.result((answer) => answer.request_id !== request_id);
      tookMs.push(performance.now() - startedMs);
      if (error?.code !== "invalid") throw new Error(`a ${kind} was ${error?.code ?? "taken"}`);
      progress(index, count);
    }
    if (at(tookMs, 0.95) > MAX_REFUSAL_MS) isMissed = true;
    words.push(`${kind} ${described(tookMs)}`);
  }
  return verdict(words.join("; "), isMissed);
}

/** Executes beside a wait that never ends; throws when that costs too much. */
export async function measureBesideWait(count: number, progress: Progress): Promise<string> {
  await using served = await openServed(FAST);
  const { agent } = served;
  await agent.ask("create", { session_id: "long", shell: "bash", env: { HOME: "/nonexistent" } });
  await agent.put("wait", { request_id: "long-wait", until: "exit", timeout_ms: 600_000 });
  await agent.until("status.json", ({ active }) => active.length === 1);
  const tookMs = await overheads(agent, count, progress);
  const isOver = agent.read("status.json").state !== "running";
  if (isOver) throw new Error("the wait ended before the measurement did");
  await agent.ask("close", { session_id: "long" });
  return verdict(described(tookMs), at(tookMs, 0.95) >= MAX_OVERHEAD_MS);
}

/** Executes with and without FIFOs in the directory; throws when they cost something. */
export async function measureBesideFifos(count: number, progress: Progress): Promise<string> {
  const without = await measureWith(0, count, progress);
  const beside = await measureWith(FIFOS, count, progress);
  const added = at(beside, 0.5) - at(without, 0.5);
  const words = `without ${described(without)}; with ${described(beside)}`;
  return verdict(words, added > MAX_ADDED_MS);
}

async function measureWith(
  fifos: number,
  count: number,
  progress: Progress,
): Promise<readonly number[]> {
  await using served = await openServed(FAST);
  const { agent } = served;
  const controls = CONTROL_NAMES.filter((name) => name !== "exec");
  const others = Array.from({ length: FIFOS - controls.length }, (_, index) => `other-${index}`);
  const paths = [...controls, ...others]
    .slice(0, fifos)
    .map((name) => agent.path("control", `${name}.json`));
  for (const path of paths) await rm(path, { force: true });
  if (paths.length > 0) execFileSync("mkfifo", paths);
  return await overheads(agent, count, progress);
}

/** What each of some commands took beyond its own time. */
async function overheads(
  agent: FileAgent,
  count: number,
  progress: Progress,
): Promise<readonly number[]> {
  const tookMs: number[] = [];
  // The first ones load what they need.
  for (let index = 0; index < WARM_UP; index++) await agent.ask("exec", { command: "true" });
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now();
    const { ok, result } = await agent.ask("exec", { command: "true" });
    if (!ok) throw new Error("a command was refused");
    tookMs.push(performance.now() - startedMs - result.duration_ms);
    progress(index, count);
  }
  return tookMs;
}

/** The value that this part of all is below. */
function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const described = (values: readonly number[]): string =>
  `p50 ${at(values, 0.5).toFixed(1)} ms, p95 ${at(values, 0.95).toFixed(1)} ms`;

function verdict(words: string, isMissed: boolean): string {
  if (isMissed) throw new Error(words);
  return words;
}
