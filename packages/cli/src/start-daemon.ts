import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type DiscoveredHost, discoverHost } from "@nacre/client/quick";
import { NacreError } from "@nacre/contracts/error";

/** A daemon is up in a second or two, on a busy machine in a few. */
const MAX_START_MS = 20_000;

/** How often it is looked for meanwhile. */
const LOOK_MS = 50;

/** The daemon of this user; one is started when none runs, and outlives this process. */
export async function findOrStartDaemon(): Promise<DiscoveredHost> {
  const running = await findRunning();
  if (running) return running;
  const daemon = spawnDaemon();
  const deadline = performance.now() + MAX_START_MS;
  while (performance.now() < deadline) {
    await sleep(LOOK_MS);
    // Another process may have been faster; then this one's has ended, and that is as good.
    const found = await findRunning();
    if (found) return found;
    if (daemon.exitCode !== null || daemon.signalCode !== null) break;
  }
  throw new NacreError("unavailable", "no daemon runs, and none could be started", {
    suggestion: "Run `nacre serve` to see why.",
  });
}

async function findRunning(): Promise<DiscoveredHost | undefined> {
  try {
    return await discoverHost();
  } catch (error) {
    if (error instanceof NacreError && error.code === "unavailable") return undefined;
    throw error;
  }
}

function spawnDaemon(): ChildProcess {
  const [, main = ""] = process.argv;
  const daemon = spawn(process.execPath, [...process.execArgv, main, "serve"], {
    // It is nobody's child: neither a signal to this terminal nor the end of this process is for it.
    detached: true,
    stdio: "ignore",
    cwd: "/",
  });
  // That it cannot be started shows in that it does not come up.
  daemon.on("error", () => undefined);
  daemon.unref();
  return daemon;
}
