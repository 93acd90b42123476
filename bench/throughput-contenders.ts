// Those who bring the output of a program to a viewer, each as a server of its own that runs through all rounds.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { DaemonProcess } from "../test/support/daemon-process.ts";
import { childrenOf } from "./processes.ts";
import { READY, type ViewerTask, type ViewerWire } from "./throughput-task.ts";

/** One who brings output to a viewer. */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  /** What it does with the output beside showing it. */
  readonly does: string;
  /** Starts a line of shell on a terminal of 80 × 24. */
  open(line: string): Promise<Session>;
}

/** Where a viewer finds a terminal that runs. */
interface Session extends AsyncDisposable {
  readonly target: Pick<ViewerTask, "wire" | "address" | "token">;
  /** The processes that bring the output, once there is a viewer. */
  pids(): Promise<number[]>;
  /** Resolves when all output is drawn, where that goes on behind the viewer. */
  whenDrawn?(): Promise<void>;
}

/** What is asked only how soon it shows a key. */
export const BARE_LAYOUT = "bare layout";

const run = promisify(execFile);

/** A daemon as people run it, with its keeper. */
export async function startNacre(home: string): Promise<Contender> {
  const daemon = await DaemonProcess.start({ home, env: { NACRE_KEEPER: "on" } });
  const pids = [daemon.pid, ...childrenOf(daemon.pid)];
  const client = daemon.client();
  return {
    name: "nacre",
    does: "keeps, records, indexes, draws, shows",
    async open(line) {
      const size = { cols: 80, rows: 24 };
      const { id } = await client.createTerminal({ command: "/bin/sh", args: ["-c", line], size });
      await client.waitFor({ id, until: [{ kind: "text", text: READY }], after: 0 });
      const path = `/api/terminals/${id}/connect?control=1&cursor=-1`;
      const address = daemon.url.replace("http:", "ws:") + path;
      return {
        target: { wire: "nacre", address, token: daemon.token },
        pids: async () => pids,
        whenDrawn: async () => void (await client.readScreen({ id, format: "text" })),
        [Symbol.asyncDispose]: async () => void (await client.disposeTerminal({ id })),
      };
    },
    [Symbol.asyncDispose]: async () => void (await daemon.end("SIGTERM")),
  };
}

/** ttyd, whose page sends the words of the command with its address. */
export async function startTtyd(): Promise<Contender> {
  const args = ["-p", "0", "-i", "lo", "-W", "-a", "sh", "-c"];
  const server = spawn("ttyd", args, { stdio: ["ignore", "ignore", "pipe"] });
  const port = await portIn(server.stderr, /port:?\s+(\d+)/);
  const addressOf = (line: string) => `ws://127.0.0.1:${port}/ws?arg=${encodeURIComponent(line)}`;
  return { name: "ttyd", does: "shows", ...serverOf(server, "ttyd", addressOf) };
}

/** A PTY and a WebSocket, and nothing else. */
export const startNaive = (): Promise<Contender> =>
  startPlain({ name: "node-pty + ws", does: "shows", file: "naive-server.ts" });

/** The processes and threads of a daemon, with nothing in them. */
export const startBare = (): Promise<Contender> =>
  startPlain({ name: BARE_LAYOUT, does: "commits, shows", file: "bare-layout.ts" });

async function startPlain({
  file,
  ...described
}: Pick<Contender, "name" | "does"> & { readonly file: string }): Promise<Contender> {
  const main = join(import.meta.dirname, file);
  const server = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await portIn(server.stdout, /(\d+)/);
  const addressOf = (line: string) => `ws://127.0.0.1:${port}/?line=${encodeURIComponent(line)}`;
  return { ...described, ...serverOf(server, "plain", addressOf) };
}

/** tmux, of which each session here has a server of its own. */
export function startTmux(): Contender {
  let sessions = 0;
  return {
    name: "tmux attached",
    does: "draws, shows what is on the screen at the moment",
    async open() {
      const address = `nacre-bench-${process.pid}-${++sessions}`;
      const ask = async (...args: string[]): Promise<string> =>
        (await run("tmux", ["-L", address, ...args])).stdout;
      return {
        target: { wire: "tmux", address, token: "" },
        pids: async () =>
          (await ask("list-clients", "-F", "#{pid} #{client_pid}")).split(" ").map(Number),
        [Symbol.asyncDispose]: async () => void (await ask("kill-server").catch(() => "")),
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A server whose sessions end with their viewer. */
function serverOf(
  child: ChildProcess,
  wire: ViewerWire,
  addressOf: (line: string) => string,
): Pick<Contender, "open" | typeof Symbol.asyncDispose> {
  return {
    open: async (line) => ({
      target: { wire, address: addressOf(line), token: "" },
      pids: async () => [child.pid ?? 0],
      [Symbol.asyncDispose]: async () => undefined,
    }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

/** The port that a server says. */
async function portIn(said: Readable | null, pattern: RegExp): Promise<number> {
  let text = "";
  for await (const more of said ?? []) {
    const [, port] = pattern.exec((text += String(more))) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`a server did not come up: ${text}`);
}
