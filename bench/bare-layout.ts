// The processes and threads of a daemon, with nothing in them: what the way of a key takes by itself. Prints its port.
// A WebSocket here, a pseudo-terminal in another process behind a unix socket, and a thread that commits each output before it is shown.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { spawn } from "@lydell/node-pty";
import { type WebSocket, WebSocketServer } from "ws";

/** Output on its way to one viewer. */
interface Piece {
  readonly viewer: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The keeper: one program for each connection, whose first piece is the line that starts it. */
async function keep(socketPath: string): Promise<void> {
  const server = createServer((socket: Socket) => {
    socket.once("data", (line: Buffer) => {
      const options = { cols: 80, rows: 24, encoding: null };
      const pty = spawn("/bin/sh", ["-c", line.toString()], options);
      // Without an encoding these are bytes, whatever the types say.
      pty.onData((data) => socket.write(data));
      pty.onExit(() => socket.end());
      socket.on("data", (bytes: Buffer) => pty.write(bytes.toString()));
      socket.on("close", () => pty.kill());
    });
  });
  server.listen(socketPath);
  await once(server, "listening");
  process.send?.("listening");
  process.on("disconnect", () => process.exit());
}

/** The recorder: one small transaction for each piece, which is then given back. */
function record(storePath: string): void {
  const store = new DatabaseSync(storePath);
  store.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  store.exec("CREATE TABLE entries (sequence INTEGER PRIMARY KEY, data BLOB) STRICT");
  const insert = store.prepare("INSERT INTO entries (data) VALUES (?)");
  parentPort?.on("message", (piece: Piece) => {
    insert.run(piece.bytes);
    parentPort?.postMessage(piece, [piece.bytes.buffer]);
  });
}

/** The daemon: brings what is typed to the keeper, and to viewers what is recorded. */
async function show(directory: string): Promise<void> {
  const socketPath = join(directory, "socket");
  const keeper: ChildProcess = fork(import.meta.filename, [socketPath]);
  const [said] = (await Promise.race([once(keeper, "message"), once(keeper, "exit")])) as unknown[];
  if (said !== "listening") throw new Error("the keeper did not come up");
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  const recorder = new Worker(import.meta.filename, { workerData: join(directory, "store") });
  const viewers = new Map<number, WebSocket>();
  recorder.on("message", ({ viewer, bytes }: Piece) => {
    viewers.get(viewer)?.send(bytes, { binary: true });
  });
  let lastNumber = 0;
  server.on("connection", (socket, { url = "" }) => {
    const line = new URL(url, "ws://localhost").searchParams.get("line") ?? "";
    const viewer = ++lastNumber;
    viewers.set(viewer, socket);
    const program = connect(socketPath, () => program.write(line));
    program.on("data", (data) => {
      const bytes = new Uint8Array(data);
      recorder.postMessage({ viewer, bytes }, [bytes.buffer]);
    });
    socket.on("message", (data: Buffer) => program.write(data));
    socket.on("close", () => {
      viewers.delete(viewer);
      program.destroy();
    });
  });
  await once(server, "listening");
  console.log((server.address() as AddressInfo).port);
}

const [, , socketPath] = process.argv;
if (!isMainThread) record(String(workerData));
else if (socketPath !== undefined) await keep(socketPath);
else {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bare-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit());
  await show(directory);
}
