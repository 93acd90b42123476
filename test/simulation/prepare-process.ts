// Makes this process one in which nothing but a simulation can happen.
import { connect, createServer } from "node:net";
import { replaceGlobals } from "./fake-globals.ts";

/** What a simulation needs of the world outside, taken before that is out of reach. */
export interface PreparedProcess {
  /** A descriptor that the kernel knows as a unix socket of ours, for code that asks it who is at the other end. */
  readonly descriptor: number;
  /** Real milliseconds of this process's own work. */
  readonly workMs: () => number;
  /** Runs something as an event of Node's own loop, where microtasks can be run in between. */
  readonly enter: (run: () => void) => void;
}

/** Replaces clocks, chance, files, threads and sockets; there is no way back. */
export async function prepareProcess(): Promise<PreparedProcess> {
  const server = createServer();
  // A name without a file: nothing is left behind.
  const path = `\0nacre-simulation-${process.pid}`;
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  const socket = connect(path);
  await new Promise<void>((resolve) => void socket.once("connect", resolve));
  const handle: unknown = Reflect.get(socket, "_handle");
  const descriptor: unknown = Object(handle) === handle && Reflect.get(Object(handle), "fd");
  if (typeof descriptor !== "number") throw new Error("a socket has no descriptor here");
  const enter = setImmediate;
  replaceGlobals();
  return {
    descriptor,
    workMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    enter: (run) => void enter(run),
  };
}
