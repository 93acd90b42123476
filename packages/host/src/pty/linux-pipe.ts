import { getSystemErrorName } from "node:util";
import { NacreError } from "@nacre/contracts/plain";
import koffi from "koffi";
import { toExhaustionErrorByName } from "./exhausted.ts";

const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const F_SETFL = 4;

const libc = koffi.load(null);
const pipe2 = libc.func("pipe2", "int", ["void *", "int"]);
const fcntl = libc.func("fcntl", "int", ["int", "int", "int"]);

/** Both ends of a pipe, which no other program inherits. */
export interface LinuxPipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens a pipe of the kernel. Those that Node makes for its children are sockets, which a program cannot open again by
 * the name /dev/stdout, as scripts do.
 */
export function openPipe(): LinuxPipe {
  const ends = new Int32Array(2);
  if (pipe2(ends, O_CLOEXEC) === 0) return { readEnd: ends[0]!, writeEnd: ends[1]! };
  const name = getSystemErrorName(-koffi.errno());
  throw (
    toExhaustionErrorByName("cannot open a pipe", name) ??
    new NacreError("pty_unavailable", `cannot open a pipe: ${name}`)
  );
}

/** Makes calls on this end return at once instead of waiting; the other end is not affected. */
export function makeNonBlocking(end: number): void {
  fcntl(end, F_SETFL, O_NONBLOCK);
}
