import { lstatSync, rmSync } from "node:fs";
import { connect, type ListenOptions, type Server } from "node:net";
import { NacreError } from "@nacre/contracts";
import { errnoOf, hasErrno } from "../base/errno.ts";
import { isOwnFile } from "./private-directory.ts";

/** `sun_path` without its NUL: 108 bytes on Linux, 104 on macOS and the BSDs. */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** Owner-only, from the moment of bind. */
const SOCKET_UMASK = 0o177;

/** Replaces a dead daemon's socket; leaves anything else alone. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  requireSocketPath(path);
  await removeStaleSocket(path);
  // Node binds before `listen` returns, so nothing else happens under this umask.
  const umask = process.umask(SOCKET_UMASK);
  const listening = listen(server, { path });
  process.umask(umask);
  await listening;
}

/** Returns the path of a unix socket, or refuses one that `bind` would cut off. */
export function requireSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  const message = `the socket path ${path} has ${bytes} bytes, at most ${MAX_SOCKET_PATH_BYTES} are possible`;
  throw new NacreError("invalid_argument", message, {
    suggestion: "Set NACRE_HOME to a directory with a shorter path.",
  });
}

/** Listens on an address; returns the port, which is another than was asked for if that was 0. */
export async function listenOnAddress(
  server: Server,
  address: string,
  port: number,
): Promise<number> {
  await listen(server, { host: address, port, exclusive: true });
  const bound = server.address();
  if (typeof bound === "object" && bound) return bound.port;
  throw new Error(`listening on ${address} gave no port`);
}

/** Throws the last port's error. */
export async function listenOnFirstFree(
  server: Server,
  address: string,
  ports: readonly number[],
): Promise<number> {
  const [port = 0, ...others] = ports;
  try {
    return await listenOnAddress(server, address, port);
  } catch (error) {
    if (others.length === 0 || !isTaken(error)) throw error;
    return await listenOnFirstFree(server, address, others);
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof NacreError && hasErrno(error.cause, "EADDRINUSE");

/** One of ours that nobody listens on. */
async function removeStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  const isReplaceable = stats.isSocket() && isOwnFile(stats) && !(await isAnswered(path));
  if (!isReplaceable) {
    throw new NacreError("unavailable", `something else is at the path of the socket ${path}`, {
      suggestion: "Find out what it is, end or remove it, and start again.",
    });
  }
  rmSync(path, { force: true });
}

/** Only ECONNREFUSED means no. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error) => resolve(!hasErrno(error, "ECONNREFUSED")));
  });
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const handleError = (cause: Error): void => reject(describeListenError(cause, options));
  server.once("error", handleError);
  server.listen(options, () => {
    server.off("error", handleError);
    resolve();
  });
  return promise;
}

function describeListenError(cause: Error, { host = "", port = 0, path }: ListenOptions): Error {
  const code = errnoOf(cause) ?? "";
  const place = path ?? `${host}:${port}`;
  const reasons: Record<string, readonly [reason: string, suggestion: string]> = {
    EADDRINUSE: ["another program listens there", "Choose another with --port; 0 takes any."],
    EACCES: ["the system does not allow it", "Choose a port above 1023 with --port."],
    EADDRNOTAVAIL: ["this machine has no such address", "Name an address of this machine."],
  };
  const [reason, suggestion] = reasons[code] ?? [cause.message, "Look at what the message names."];
  return new NacreError("unavailable", `cannot listen on ${place}: ${reason}`, {
    cause,
    suggestion,
  });
}
