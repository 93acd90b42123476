// Tells whether a thread waits for input from its terminal, by the system call it is blocked in. The call and the memory
// of a process are open to whoever may trace it: its own user, except where the kernel lets only ancestors do so (Yama).
// Where it sleeps and what its descriptors lead to are open to its own user in any case. A program that changed its user,
// as `sudo` and `su` do, is open to root alone; its terminal's settings then have to tell.
import { open } from "node:fs/promises";
import { endianness } from "node:os";
import { isDenial, readDescriptor, readProcFile } from "./proc-files.ts";

/**
 * Whether something waits for the terminal's input: it `reads`; it `polls` something, which may be the terminal;
 * it does not; or nobody may know.
 */
export type TtyReadState = "reads" | "polls" | "no" | "unknown";

/** The system calls that wait for input, by what their arguments mean. */
type BlockingSyscall = "read" | "poll" | "select" | "epoll";

/** Their numbers, which differ by architecture. */
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

/** Where in the kernel a thread sleeps that reads a terminal; newer kernels sleep there for sockets too. */
const READ_WCHANS = ["n_tty_read", "wait_woken"];

/** The beginnings of the names of the functions in which a thread waits for one of several descriptors. */
const POLL_WCHANS = ["poll_schedule_timeout", "do_poll", "do_sys_poll", "do_select"];
const EPOLL_WCHANS = ["ep_poll", "do_epoll_wait"];

/** Nobody polls more descriptors than this for keys, and their list is read whole. */
const MAX_POLLED = 1024;

/** Size of one entry in the list that `poll` is given. */
const POLL_ENTRY_BYTES = 8;

/** The bits that ask `poll` for input. */
const POLL_INPUT = 0x01 | 0x40;

/** The bit that asks `epoll` for input. */
const EPOLL_INPUT = 0x01;

/** Descriptors by which programs have their terminal, as a rule. */
const STANDARD_DESCRIPTORS = [0, 1, 2];

/** One thread, and the paths by which its terminal can be open. */
export interface ThreadOnTerminal {
  readonly pid: number;
  readonly threadId: number;
  readonly terminalPaths: readonly string[];
}

/** What a thread waits for, by its system call where that may be seen, otherwise by where it sleeps. */
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
    // Its memory may be closed to us although its call was not; or it went on meanwhile.
    return isDenial(cause) ? readByWchan(thread) : "no";
  }
}

/** What a thread waits for, by where in the kernel it sleeps: less certain, but seen where its call is not. */
export function readByWchan(thread: ThreadOnTerminal): TtyReadState {
  const file = readProcFile(`/proc/${thread.pid}/task/${thread.threadId}/wchan`);
  if (file === undefined) return "no";
  // A thread that may not be looked at says 0, as one does that runs.
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

/** A set is a row of bits, one for each descriptor, in machine words; on a little-endian machine also in bytes. */
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

/** Waits in another thread: a process that hangs in the kernel can hold its memory for long. */
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
