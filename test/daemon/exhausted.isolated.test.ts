import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** What is left for connections, and how many try to get some. */
const FEW_DESCRIPTORS = 24;
const CONNECTIONS = 100;

/** How long the processor is watched; a daemon that spins uses all it can get, and never has a quiet second. */
const WATCH_MS = 1000;
const MAX_SHARE = 0.1;

/** How long what a start leaves to the background may take, on a busy machine. */
const QUIET_MS = 30_000;

const TICKS_PER_SECOND = 100;

/** What a process has used of the processors, in milliseconds. */
function usedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Which part of a processor a process uses for a while. */
async function shareOf(pid: number): Promise<number> {
  const [startedAt, before] = [performance.now(), usedMs(pid)];
  await new Promise((resolve) => void setTimeout(resolve, WATCH_MS));
  return (usedMs(pid) - before) / (performance.now() - startedAt);
}

test(
  "a daemon without descriptors does not spin, goes on for those who are there, and lets others in later",
  { timeout: 120_000 },
  async (context) => {
    requireProgram(context, "prlimit");
    using home = ownDirectory();
    await using daemon = await DaemonProcess.start({ home: home.path, env: { HOME: home.path } });
    const earlier = connect(daemon.socketPath);
    using _earlier = { [Symbol.dispose]: () => void earlier.destroy() };
    const ask = async (): Promise<string> => {
      earlier.write(`${JSON.stringify({ type: "request", id: "1", method: "system.status" })}\n`);
      const [answer]: unknown[] = await once(earlier, "data");
      return String(answer);
    };
    expect(await ask()).toContain('"ok":true');
    const max = readdirSync(`/proc/${daemon.pid}/fd`).length + FEW_DESCRIPTORS;
    execFileSync("prlimit", ["--pid", String(daemon.pid), `--nofile=${max}`]);

    const sockets: Socket[] = [];
    using _ = { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect(daemon.socketPath).on("error", () => undefined);
      sockets.push(socket);
      await once(socket, "connect");
    }
    const share = (): Promise<number> => shareOf(daemon.pid);
    await expect.poll(share, { timeout: QUIET_MS }).toBeLessThan(MAX_SHARE);
    expect(daemon.isRunning).toBe(true);
    expect(await ask()).toContain('"ok":true');

    for (const socket of sockets) socket.destroy();
    // The next one may come before the daemon has noticed that the others are gone.
    const answers = async (): Promise<unknown> => {
      const created = await daemon.client().createTerminal({ command: "/bin/cat" });
      return created.state;
    };
    await expect.poll(() => answers().catch(String), { timeout: 60_000 }).toBe("active");
  },
);
