// Tells from the blocked system call whether a thread waits for input from its terminal. `/proc/<pid>/syscall` and
// `mem` need ptrace access: the same user, and with Yama only an ancestor. `wchan` and `fd` need only the same user. A
// program that changed its user, such as `sudo` or `su`, is readable by root alone; for it the termios settings have to
// do.
import { open } from "node:fs/promises";
import { endianness } from "node:os";
import { isDenial, readDescriptor, readProcFile } from "./proc-files.ts";

/** `polls`: waits on several descriptors, of which one may be the terminal; `unknown`: access denied. */
export type TtyReadState = "reads" | "polls" | "no" | "unknown";

/** System calls that wait for input, by the layout of their arguments. */
type BlockingSyscall = "read" | "poll" | "select" | "epoll";

/** Syscall numbers per architecture. */
const SYSCALLS: Partial<Record<NodeJS.Architecture, Readonly<Record<string, BlockingSyscall>>>> = {
  x64: {
    0: "read",
    19: "read",
    7: "poll",
    271: "poll",
    23: "select",
    270: "select",
    232: "epoll",
    281: "epoll",
    441: "epoll",
  },
  arm64: { 63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll" },
};

/** Kernel functions in which a read of a TTY sleeps; newer kernels use `wait_woken` for sockets, too. */
const READ_WCHANS = ["n_tty_read", "wait_woken"];

/** Prefixes of the kernel functions in which poll and select sleep. */
const POLL_WCHANS = ["poll_schedule_timeout", "do_poll", "do_sys_poll", "do_select"];
const EPOLL_WCHANS = ["ep_poll", "do_epoll_wait"];

/** No program polls more descriptors for keys, and the list is read whole. */
const MAX_POLLED = 1024;

/** `sizeof(struct pollfd)`. */
const POLL_ENTRY_BYTES = 8;

/** POLLIN | POLLRDNORM. */
const POLL_INPUT = 0x01 | 0x40;

/** EPOLLIN. */
const EPOLL_INPUT = 0x01;

const STANDARD_DESCRIPTORS = [0, 1, 2];

export interface ThreadOnTerminal {
  readonly pid: number;
  readonly threadId: number;
  readonly terminalPaths: readonly string[];
}

/** By system call where that is readable, otherwise by wchan. */
export async function readThreadWait(thread: ThreadOnTerminal): Promise<TtyReadState> {
  const file = readProcFile(`/proc/${thread.pid}/task/${thread.threadId}/syscall`);
  const calls = SYSCALLS[process.arch];
  if (file === undefined || file === "denied" || !calls) return readByWchan(thread);
  const [number = "", ...rest] = file.text.trim().split(" ");
  const call = calls[number];
  if (call === undefined) return "no";
  try {
    return await readBySyscall(thread, call, rest.map(Number));
  } catch (cause) {
    // Memory may be denied although the syscall was readable; or the thread went on meanwhile.
    return isDenial(cause) ? readByWchan(thread) : "no";
  }
}

/** Less certain than the system call, but readable more often. */
export function readByWchan(thread: ThreadOnTerminal): TtyReadState {
  const file = readProcFile(`/proc/${thread.pid}/task/${thread.threadId}/wchan`);
  if (file === undefined) return "no";
  // wchan is 0 for a running thread, and also where access is denied.
  if (file === "denied" || file.text === "0" || file.text === "") return "unknown";
  const isIn = (channels: readonly string[]): boolean =>
    channels.some((channel) => file.text.startsWith(channel));
  const hasTerminal = STANDARD_DESCRIPTORS.some((one) => isTerminal(thread, one));
  if (isIn(READ_WCHANS)) return hasTerminal ? "reads" : "no";
  return hasTerminal && (isIn(POLL_WCHANS) || isIn(EPOLL_WCHANS)) ? "polls" : "no";
}

async function readBySyscall(
  thread: ThreadOnTerminal,
  call: BlockingSyscall,
  args: readonly number[],
): Promise<TtyReadState> {
  const [first = 0, second = 0] = args;
  const isWaitingFor = (descriptors: readonly number[]): TtyReadState =>
    descriptors.some((one) => isTerminal(thread, one)) ? "reads" : "no";
  switch (call) {
    case "read":
      return isWaitingFor([first]);
    case "poll":
      return isWaitingFor(await readPolled(thread.pid, first, second));
    case "select":
      return isWaitingFor(await readSelected(thread.pid, first, second));
    case "epoll":
      return isWaitingFor(readWatched(thread.pid, first));
  }
}

async function readPolled(pid: number, address: number, count: number): Promise<readonly number[]> {
  const list = await readMemory(pid, address, Math.min(count, MAX_POLLED) * POLL_ENTRY_BYTES);
  const isLittle = endianness() === "LE";
  return Array.from({ length: list.byteLength / POLL_ENTRY_BYTES }, (_, index) => {
    const start = index * POLL_ENTRY_BYTES;
    const asksInput = (list.getInt16(start + 4, isLittle) & POLL_INPUT) !== 0;
    return asksInput ? list.getInt32(start, isLittle) : -1;
  }).filter((descriptor) => descriptor >= 0);
}

/** An fd_set is a bitmap in machine words; on little-endian also in bytes. */
async function readSelected(pid: number, count: number, address: number) {
  if (address === 0) return [];
  const set = await readMemory(pid, address, Math.ceil(Math.min(count, MAX_POLLED) / 8));
  return Array.from({ length: set.byteLength * 8 }, (_, descriptor) => descriptor).filter(
    (descriptor) => (set.getUint8(descriptor >> 3) & (1 << (descriptor & 7))) !== 0,
  );
}

function readWatched(pid: number, epoll: number): readonly number[] {
  const file = readProcFile(`/proc/${pid}/fdinfo/${epoll}`);
  if (file === undefined || file === "denied") return [];
  return [...file.text.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)]
    .filter(([, , events = "0"]) => (Number.parseInt(events, 16) & EPOLL_INPUT) !== 0)
    .map(([, descriptor]) => Number(descriptor));
}

/** Reads in the thread pool: a process stuck in the kernel can hold its `mmap_lock` for long. */
async function readMemory(pid: number, address: number, lengthBytes: number): Promise<DataView> {
  await using memory = await open(`/proc/${pid}/mem`);
  const buffer = new ArrayBuffer(lengthBytes);
  const { bytesRead } = await memory.read(new Uint8Array(buffer), 0, lengthBytes, address);
  return new DataView(buffer, 0, bytesRead);
}

function isTerminal({ pid, terminalPaths }: ThreadOnTerminal, descriptor: number): boolean {
  const target = readDescriptor(pid, descriptor);
  return target !== undefined && terminalPaths.includes(target);
}
