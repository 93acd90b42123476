// Measures how fast one viewer gets a flood through a real socket: `node --conditions=nacre-source test/raw/main.ts [megabytes]`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebSocket } from "ws";
import { ownDirectory } from "../support/own-directory.ts";
import { shLine } from "../support/terminal-input.ts";
import { connectPath, openServer } from "./raw-server.ts";

const [first = "50", url, token] = process.argv.slice(2);

if (url === undefined) await measure(Number(first));
else view(url, Number(first));

/** Writes a file of lines with `cat` while a viewer in a process of its own follows. */
async function measure(megabytes: number): Promise<void> {
  using directory = ownDirectory();
  const path = join(directory.path, "flood");
  const line = `${"0123456789abcdef".repeat(4).slice(0, 63)}\n`;
  await writeFile(path, line.repeat((megabytes * 1024 * 1024) / line.length));
  await using server = await openServer();
  const terminal = await server.host.createTerminal(
    shLine(`stty -opost; read go; cat ${path}; read end`),
  );
  const address = `ws://127.0.0.1:${server.port}${connectPath(terminal.id, "?cursor=-1")}`;
  const viewer = fork(import.meta.filename, [first, address, server.tokens.operator]);
  await once(viewer, "message");
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  await terminal.write("\r", { by: server.caller });
  const [{ bytes, frames }] = await once(viewer, "message");
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(startedCpu);
  const cpu = ((user + system) / 1e6).toFixed(2);
  console.log(
    `${bytes} bytes in ${frames} frames, ${seconds.toFixed(2)} s, ${(megabytes / seconds).toFixed(1)} MB/s, ${cpu} s of processor`,
  );
  viewer.disconnect();
}

/** Counts bytes until all have come. */
function view(address: string, megabytes: number): void {
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  let bytes = 0;
  let frames = 0;
  socket.on("open", () => process.send?.("open"));
  socket.on("message", (data: Buffer) => {
    bytes += data.byteLength;
    frames++;
    if (bytes >= megabytes * 1024 * 1024) {
      process.send?.({ bytes, frames });
      socket.terminate();
    }
  });
}
