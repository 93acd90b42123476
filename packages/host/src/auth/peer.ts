import { lstatSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import koffi from "koffi";

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** `struct ucred`: pid, uid and gid, 32 bits each. */
const UCRED_FIELDS = 3;
const UINT32_BYTES = 4;
/** What the kernel says of a socket that has no such peer: -1. */
const NOBODY = 0xffff_ffff;
const OTHERS = 0o077;

/** The process behind the other end of a unix socket, as the kernel knows it. */
export interface LocalPeer {
  readonly uid: number;
  readonly pid?: number;
  /** Clock ticks after boot when the process began, so that a recycled pid is not taken for it. */
  readonly startTime?: number;
}

/** Reads who is at the other end; undefined when nobody can tell. */
export type PeerReader = (socket: Socket) => LocalPeer | undefined;

/**
 * Asks the kernel who is at the other end; whom it does not name is nobody. Where no kernel can be asked, nobody but us
 * can have come through a directory that is ours with mode 0700, so that whoever came is us; with any other directory
 * nobody is let in.
 */
export function createPeerReader(socketDirectory: string, platform = process.platform): PeerReader {
  return platform === "linux" ? readKernelPeer : () => readDirectoryOwner(socketDirectory);
}

/** Who a peer is, for the audit. */
export const describePeer = ({ uid, pid, startTime }: LocalPeer): string =>
  [
    `uid ${uid}`,
    pid === undefined ? "" : `pid ${pid}`,
    startTime === undefined ? "" : `start ${startTime}`,
  ]
    .filter(Boolean)
    .join(" ");

function readKernelPeer(socket: Socket): LocalPeer | undefined {
  const fd = descriptorOf(socket);
  if (fd === undefined) return undefined;
  const credentials = new Uint32Array(UCRED_FIELDS);
  const length = Uint32Array.of(UCRED_FIELDS * UINT32_BYTES);
  getsockopt ??= koffi
    .load(null)
    .func("getsockopt", "int", ["int", "int", "int", "void *", "void *"]);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return undefined;
  const [pid = 0, uid = NOBODY] = credentials;
  return makeLocalPeer(pid, uid);
}

/** Who the kernel named. It has no number for a process of another container, whose user counts all the same. */
export function makeLocalPeer(pid: number, uid: number): LocalPeer | undefined {
  if (uid === NOBODY) return undefined;
  if (pid === 0) return { uid };
  const startTime = readStartTime(pid);
  return { uid, pid, ...(startTime === undefined ? {} : { startTime }) };
}

/** Loaded at the first use: other systems have no such library. */
let getsockopt: ReturnType<ReturnType<typeof koffi.load>["func"]> | undefined;

/** The handle is not part of Node's promises, so it is looked at carefully. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("fd" in handle)) return undefined;
  return typeof handle.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}

function readStartTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program is in parentheses and may have any characters; the 20th word after it is the start.
    const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    return Number.isSafeInteger(start) ? start : undefined;
  } catch {
    return undefined; // It is gone already, or /proc is not there; the user is what decides.
  }
}

function readDirectoryOwner(directory: string): LocalPeer | undefined {
  const uid = process.getuid?.();
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (uid === undefined || stats === undefined) return undefined;
  const isOurs = stats.isDirectory() && stats.uid === uid && (stats.mode & OTHERS) === 0;
  return isOurs ? { uid } : undefined;
}
