/** The few Linux system calls that Node lacks, through koffi. */
import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { constants as osConstants, endianness } from "node:os";
import { getSystemErrorName } from "node:util";
import { NacreError, type Size } from "@nacre/contracts/plain";
import koffi from "koffi";
import { toExhaustionErrorByName } from "./resource-exhaustion.ts";
import type { TerminalDevice } from "./pty.ts";

const TCGETS = 0x5401;
const TCSETS = 0x5402;
const TIOCGPGRP = 0x540f;
const TIOCGWINSZ = 0x5413;
const TIOCSWINSZ = 0x5414;
const TIOCSPTLCK = 0x40045431;
const TIOCGPTPEER = 0x5441;
const TIOCGPTN = 0x80045430;
const TIOCSIG = 0x40045436;
const CLOCK_BOOTTIME = 7;
const TICKS_PER_SECOND = 100;
const SYS_PIDFD_SEND_SIGNAL = 424;
const SYS_PIDFD_OPEN = 434;
const SYS_CLOSE_RANGE = 436;
const CLOSE_RANGE_CLOEXEC = 4;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const FIRST_UNSHARED_FD = 3;
const MAX_FD = 0xffff_ffff;
const POLLIN = 1;
const POLLHUP = 16;
const O_CLOEXEC = 0o2000000;

const IUTF8 = 0o40000;
const ICANON = 0o2;
const ECHO = 0o10;
/** The kernel's `struct termios`: four 32-bit flag words, then line and control characters; 36 bytes, rounded up. */
const TERMIOS_BYTES = 64;
const INPUT_FLAGS_AT = 0;
const LOCAL_FLAGS_AT = 12;

const libc = koffi.load(null);
const ioctlPointer = libc.func("ioctl", "int", ["int", "ulong", "void *"]);
const ioctlNumber = libc.func("ioctl", "int", ["int", "ulong", "long"]);
const fcntl = libc.func("fcntl", "int", ["int", "int", "int"]);
const readCall = libc.func("read", "long", ["int", "void *", "size_t"]);
const writeCall = libc.func("write", "long", ["int", "const void *", "size_t"]);
const killCall = libc.func("kill", "int", ["int", "int"]);
const clockGettime = libc.func("clock_gettime", "int", ["int", "void *"]);
const pollCall = libc.func("poll", "int", ["void *", "ulong", "int"]);
const syscall = libc.func("syscall", "long", ["long", "long", "long", "long", "long"]);

/** The numbers above hold on Linux for x86-64 and arm64. */
export const linuxCallsWork =
  process.platform === "linux" &&
  (process.arch === "x64" || process.arch === "arm64") &&
  endianness() === "LE";

function check(result: number, call: string): number {
  if (result >= 0) return result;
  const name = getSystemErrorName(-koffi.errno());
  throw (
    toExhaustionErrorByName(`${call} failed`, name) ??
    new NacreError("pty_unavailable", `${call} failed: ${name}`)
  );
}

/** TIOCSPTLCK and TIOCGPTPEER: independent of what is mounted at /dev/pts. */
export function openSlave(master: number): number {
  check(ioctlPointer(master, TIOCSPTLCK, new Uint8Array(4)), "TIOCSPTLCK");
  const flags = constants.O_RDWR | constants.O_NOCTTY | O_CLOEXEC;
  return check(ioctlNumber(master, TIOCGPTPEER, flags), "TIOCGPTPEER");
}

/** TIOCSWINSZ; the foreground gets SIGWINCH when the size differs. */
export function setSize(master: number, size: Size): void {
  check(ioctlPointer(master, TIOCSWINSZ, Uint16Array.of(size.rows, size.cols, 0, 0)), "TIOCSWINSZ");
}

/** TIOCGWINSZ. */
export function getSize(master: number): Size {
  const size = new Uint16Array(4);
  check(ioctlPointer(master, TIOCGWINSZ, size), "TIOCGWINSZ");
  return { rows: size[0]!, cols: size[1]! };
}

/** TIOCGPGRP; 0 when there is none. */
export function getForegroundProcessGroup(master: number): number {
  const group = new Int32Array(1);
  check(ioctlPointer(master, TIOCGPGRP, group), "TIOCGPGRP");
  return group[0]!;
}

/** IUTF8: the line discipline erases whole UTF-8 characters. */
export function enableUtf8(master: number): void {
  const termios = new Uint32Array(TERMIOS_BYTES / 4);
  check(ioctlPointer(master, TCGETS, termios), "TCGETS");
  termios[INPUT_FLAGS_AT / 4]! |= IUTF8;
  check(ioctlPointer(master, TCSETS, termios), "TCSETS");
}

/** TCGETS through the master, in about 2 µs. */
export function getModes(master: number): { echo: boolean; canonical: boolean; utf8: boolean } {
  const termios = new Uint32Array(TERMIOS_BYTES / 4);
  check(ioctlPointer(master, TCGETS, termios), "TCGETS");
  const local = termios[LOCAL_FLAGS_AT / 4]!;
  return {
    echo: (local & ECHO) !== 0,
    canonical: (local & ICANON) !== 0,
    utf8: (termios[INPUT_FLAGS_AT / 4]! & IUTF8) !== 0,
  };
}

export function getDevice(master: number, slave: number): TerminalDevice {
  const { dev, ino } = fstatSync(slave);
  return { path: getName(master), dev, ino };
}

/** Modes of a terminal that another process holds open; undefined when it is not visible here. */
export function readDeviceModes(device: TerminalDevice): ReturnType<typeof getModes> | undefined {
  let slave: number | undefined;
  try {
    slave = openSync(device.path, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
    const { dev, ino } = fstatSync(slave);
    return dev === device.dev && ino === device.ino ? getModes(slave) : undefined;
  } catch {
    return undefined;
  } finally {
    if (slave !== undefined) closeSync(slave);
  }
}

/**
 * Sets close-on-exec on every descriptor. Node's own have it; those that this process inherited or that native code
 * opened do not.
 */
export function hideDescriptors(): void {
  if (syscall(SYS_CLOSE_RANGE, FIRST_UNSHARED_FD, MAX_FD, CLOSE_RANGE_CLOEXEC, 0) === 0) return;
  // close_range with CLOEXEC needs kernel 5.11.
  for (const fd of readdirSync("/proc/self/fd").map(Number)) {
    if (fd >= FIRST_UNSHARED_FD) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
}

/** Non-blocking; 0 or less means nothing, or an end that the event loop will report. */
export function readNow(master: number, into: Uint8Array): number {
  return readCall(master, into, into.byteLength);
}

/** Non-blocking; 0 or less means that nothing fits. */
export function writeNow(master: number, bytes: Uint8Array): number {
  return writeCall(master, bytes, bytes.byteLength);
}

/** A read would return bytes or the end; for a pidfd, the process has ended. */
export function isReadable(descriptor: number): boolean {
  return (poll(descriptor) & (POLLIN | POLLHUP)) !== 0;
}

/** A program has the other end open. */
export function isHeld(master: number): boolean {
  return (poll(master) & POLLHUP) === 0;
}

function poll(descriptor: number): number {
  const request = new DataView(new ArrayBuffer(8));
  request.setInt32(0, descriptor, true);
  request.setInt16(4, POLLIN, true);
  while (pollCall(new Uint8Array(request.buffer), 1, 0) < 0) {
    // EINTR is not an answer.
    if (koffi.errno() !== osConstants.errno.EINTR) check(-1, "poll");
  }
  return request.getInt16(6, true);
}

/** The path by which programs know the terminal. */
function getName(master: number): string {
  const number = new Uint32Array(1);
  check(ioctlPointer(master, TIOCGPTN, number), "TIOCGPTN");
  return `/dev/pts/${number[0]}`;
}

/** Clock ticks since boot, like a process's start time, rounded up. */
export function nowTicks(): number {
  const time = new BigInt64Array(2);
  check(clockGettime(CLOCK_BOOTTIME, time), "clock_gettime");
  return Math.ceil((Number(time[0]) + Number(time[1]) / 1e9) * TICKS_PER_SECOND);
}

/** Signals that the kernel itself delivers to the foreground job. */
export const KEYBOARD_SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT", "SIGTSTP"];

/** TIOCSIG: to whatever job is in the foreground at this instant. */
export function signalForeground(master: number, signal: NodeJS.Signals): void {
  check(ioctlNumber(master, TIOCSIG, osConstants.signals[signal]), "TIOCSIG");
}

/** A pidfd, readable once the process has ended; undefined where there is none to be had. */
export function openProcess(pid: number): number | undefined {
  const pidfd = syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0);
  return pidfd < 0 ? undefined : pidfd;
}

/**
 * Signals exactly the process that `isStill` confirms, even if its pid is reused meanwhile (pidfd_send_signal). False
 * when there is none, or it is another user's.
 */
export function signalProcess(
  pid: number,
  signal: NodeJS.Signals,
  isStill: (pid: number) => boolean,
): boolean {
  const number = osConstants.signals[signal];
  const pidfd = openProcess(pid) ?? -1;
  if (pidfd < 0 && koffi.errno() === osConstants.errno.ESRCH) return false;
  // Without pidfds (old kernel, no descriptor left) the check right before the signal has to do.
  if (pidfd < 0) return isStill(pid) && killCall(pid, number) === 0;
  try {
    return isStill(pid) && syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, number, 0, 0) === 0;
  } finally {
    closeSync(pidfd);
  }
}
