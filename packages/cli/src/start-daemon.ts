import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DiscoveredHost, discoverHost } from "@nacre/client/quick";
import { NacreError } from "@nacre/contracts/error";
import { AS_BEFORE } from "./earlier-options.ts";
import { type DaemonSettings, isRestarting } from "./restart-settings.ts";

/** A second or two, on a very busy machine many. */
const MAX_START_MS = 60_000;

/** Poll interval. */
const LOOK_MS = 50;

const MAX_SAID_BYTES = 4096;

/** Prefix of the daemon's messages. */
const SPEAKER = "nacre: ";

/** How the line below that begins, which says what to do. */
const ADVICE = "  → ";

/** How Node tells an exception that nobody caught, above its stack. */
const UNCAUGHT = /^(?:[A-Z]\w*)?Error\b.*:/;

/** What programs in a terminal are known by, and know it by. */
const TERMINAL_VARIABLES: readonly string[] = ["NACRE_PTY_ID", "NACRE_TERMINAL_ID"];

/** Starts one when none runs and nobody else restarts it; it outlives this process. */
export async function findOrStartDaemon(
  settings?: DaemonSettings,
  does = { isRestarting, spawnDaemon },
): Promise<DiscoveredHost> {
  let running = await findRunning();
  while (!running && !settings && (await does.isRestarting())) {
    await sleep(LOOK_MS);
    running = await findRunning();
  }
  if (running) return running;
  await using said = await openNameless();
  const daemon = does.spawnDaemon(said?.fd ?? "ignore", settings);
  const deadline = performance.now() + MAX_START_MS;
  while (performance.now() < deadline) {
    await sleep(LOOK_MS);
    // One that found another to be faster ends behind the look that misses it, and before the next.
    const hasEnded = daemon.exitCode !== null || daemon.signalCode !== null;
    const found = await findRunning();
    if (found) return found;
    if (hasEnded) break;
  }
  throw startFailure(said ? await readSaid(said) : "");
}

/** What to tell of a daemon that did not start, by what it said: why is the last of it, behind warnings. */
export function startFailure(said: string): NacreError {
  const lines = said.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(SPEAKER) || UNCAUGHT.test(line));
  const reason = lines[at]?.replace(SPEAKER, "") ?? "";
  const advice = lines[at + 1] ?? "";
  const isFull = /^the disk is full|\bdisk is full$|\b(?:ENOSPC|EDQUOT)\b/.test(reason);
  return new NacreError(
    isFull ? "recording_blocked" : "unavailable",
    `no daemon runs, and none could be started${reason === "" ? "" : `: ${reason}`}`,
    {
      suggestion:
        isFull && advice.startsWith(ADVICE)
          ? advice.slice(ADVICE.length)
          : "Run `nacre serve` to see why.",
    },
  );
}

/** A file for what the daemon says when it cannot start; it has no name, and goes with who has it open. */
async function openNameless(): Promise<FileHandle | undefined> {
  const path = join(tmpdir(), `nacre-start-${randomUUID()}`);
  try {
    const file = await open(path, "wx+", 0o600);
    await unlink(path);
    return file;
  } catch {
    // Such as where that disk is full: a daemon may start all the same.
    return undefined;
  }
}

async function readSaid(said: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await said.read({ position: 0, length: MAX_SAID_BYTES });
  return buffer.toString("utf8", 0, bytesRead);
}

async function findRunning(): Promise<DiscoveredHost | undefined> {
  try {
    return await discoverHost();
  } catch (error) {
    if (error instanceof NacreError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/** Bytes only pass through, so a small young generation suffices. */
const HEAP_OPTIONS = ["--max-semi-space-size=4"];

/** A daemon that carries a terminal's marker would be ended with that terminal. */
export function withoutTerminal(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isMark = (name: string): boolean => TERMINAL_VARIABLES.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isMark(name)));
}

function spawnDaemon(errors: number | "ignore", settings?: DaemonSettings): ChildProcess {
  const [, main = ""] = process.argv;
  const daemon = spawn(
    process.execPath,
    [
      ...HEAP_OPTIONS,
      ...process.execArgv,
      main,
      "serve",
      `--${AS_BEFORE}`,
      ...(settings?.flags ?? []),
    ],
    {
      // Neither a signal to this terminal nor the end of this process is for it.
      detached: true,
      stdio: ["ignore", "ignore", errors],
      cwd: settings?.cwd ?? "/",
      env: withoutTerminal(settings?.env ?? process.env),
    },
  );
  // A failed start shows in that it does not come up.
  daemon.on("error", () => undefined);
  daemon.unref();
  return daemon;
}
