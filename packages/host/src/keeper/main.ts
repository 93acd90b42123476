// The keeper: a small process that owns the PTYs of one state directory and outlives its daemon.
import { renameSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createPeerReader } from "../auth/peer.ts";
import { linuxPty } from "../pty/linux-pty.ts";
import { pipePty } from "../pty/pipe-pty.ts";
import { DEFAULT_GRACE_MS } from "../pty/pty.ts";
import { InteractiveBoost } from "../pty/autogroup-priority.ts";
import { createHello } from "./frames.ts";
import { answerRequest, Keeper, mayEnd } from "./keeper.ts";
import { ProgramList } from "./program-list.ts";
import { collectWhenIdle } from "./idle-gc.ts";

/** Only the owner can connect. */
const SOCKET_UMASK = 0o177;

/** For the keeper's own files; a launch decides the umask of its program. */
const UMASK = 0o077;

/** Interval of checks whether anybody needs the keeper. */
const LOOK_MS = 30_000;

/** A repeating fault must not fill the disk. */
const MAX_REPORTS = 1000;

/** One daemon, and stray connections. */
const MAX_CONNECTIONS = 16;

const [socketPath = "", version = "", listPath = ""] = process.argv.slice(2);
let reports = 0;

/** Standard error is the log. */
function report(error: unknown): void {
  if (++reports > MAX_REPORTS) return;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}

// One PTY's fault must not end the programs of all the others.
process.on("uncaughtException", report);
process.on("unhandledRejection", report);
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// Only a request ends the keeper, not the end of whoever started it.
for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined);
process.title = `nacre-keeper ${socketPath}`;
process.chdir("/");
process.umask(UMASK);

const server = createServer();
let socketInode: number | undefined;

function leavePlace(): void {
  const inode = statSync(socketPath, { throwIfNoEntry: false })?.ino;
  // The path may be a successor's by now.
  if (inode !== undefined && inode === socketInode) rmSync(socketPath, { force: true });
}

const keeper = new Keeper({
  drivers: { terminal: linuxPty, pipes: pipePty },
  version,
  readPeer: createPeerReader(dirname(socketPath)),
  // A key and its echo pass through here as through the daemon, which does the same.
  handleTyped: new InteractiveBoost().noteTyping,
  report,
  answer: answerRequest,
  ...(listPath
    ? { programs: new ProgramList(listPath, { ...createHello(version), socketPath }, report) }
    : {}),
  leavePlace,
  handleStopped: () => process.exit(0),
});

process.on("SIGTERM", () => {
  keeper
    .endPrograms(DEFAULT_GRACE_MS)
    .then(() => keeper.close())
    .catch(report);
});

collectWhenIdle();

let quietSince = performance.now();
setInterval(() => {
  if (keeper.isConnected) quietSince = performance.now();
  else if (mayEnd(keeper.ptys, performance.now() - quietSince)) void keeper.close();
}, LOOK_MS);

server.maxConnections = MAX_CONNECTIONS;
server.on("connection", (socket) => keeper.serve(socket));
server.on("error", (error) => {
  report(error);
  if (socketInode === undefined) process.exit(1);
});

// Created aside and renamed, so that a dead keeper's socket is replaced atomically.
const place = join(dirname(socketPath), `keeper.${process.pid}`);
const umask = process.umask(SOCKET_UMASK);
server.listen(place, () => {
  renameSync(place, socketPath);
  socketInode = statSync(socketPath).ino;
  process.stdout.write("ready\n");
});
process.umask(umask);
