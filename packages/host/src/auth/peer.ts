import { lstatSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import koffi from "koffi";

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** `struct ucred`: pid, uid and gid, 32 bits each. */
const UCRED_FIELDS = 3;
const UINT32_BYTES = 4;
/** The kernel's -1: no such peer. */
const NOBODY = 0xffff_ffff;
const OTHERS = 0o077;

/** From SO_PEERCRED. */
export interface LocalPeer {
  readonly uid: number;
  readonly pid?: number;
  /** In clock ticks since boot, so that a reused pid does not match. */
  readonly startTime?: number;
}

/** Undefined when unknown. */
export type PeerReader = (socket: Socket) => LocalPeer | undefined;

/**
 * Asks the kernel for the peer. Where that is impossible, only our own user can have come through a directory of ours
 * with mode 0700; with any other directory nobody is admitted.
 */
export function createPeerReader(socketDirectory: string, platform = process.platform): PeerReader {
  return platform === "linux" ? readKernelPeer : () => readDirectoryOwner(socketDirectory);
}

/** For the audit. */
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

/** A process of another pid namespace has pid 0; its uid counts nevertheless. */
export function makeLocalPeer(pid: number, uid: number): LocalPeer | undefined {
  if (uid === NOBODY) return undefined;
  if (pid === 0) return { uid };
  const startTime = readStartTime(pid);
  return { uid, pid, ...(startTime === undefined ? {} : { startTime }) };
}

/** Loaded on first use: other systems have no such library. */
let getsockopt: ReturnType<ReturnType<typeof koffi.load>["func"]> | undefined;

/** Node does not document the handle, so it is checked carefully. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("fd" in handle)) return undefined;
  return typeof handle.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}

function readStartTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain anything; the 20th field after it is the start time.
    const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    return Number.isSafeInteger(start) ? start : undefined;
  } catch {
    return undefined; // Gone already, or no procfs; the uid decides.
  }
}

function readDirectoryOwner(directory: string): LocalPeer | undefined {
  const uid = process.getuid?.();
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (uid === undefined || stats === undefined) return undefined;
  const isOurs = stats.isDirectory() && stats.uid === uid && (stats.mode & OTHERS) === 0;
  return isOurs ? { uid } : undefined;
}
