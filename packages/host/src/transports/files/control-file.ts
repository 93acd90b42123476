// Probes what lies at a request's path, without waiting for it, following it or trusting it.
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { hasErrno } from "../../base/errno.ts";
import { MAX_CONTROL_FILE_BYTES } from "./control-limits.ts";

const OWNER_MAY_READ = 0o400n;

export type FileProbe =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly stamp: string;
      readonly inode: string;
      /** Only its times were set, as by `touch`: a write changes mtime and ctime alike. */
      readonly isTouched: boolean;
    }
  | {
      readonly kind: "refused";
      readonly stamp: string;
      readonly inode: string;
      readonly reason: string;
    };

/** Without opening it. */
export async function probeFile(
  path: string,
  maxBytes = MAX_CONTROL_FILE_BYTES,
): Promise<FileProbe> {
  let stats: BigIntStats;
  try {
    stats = await lstat(path, { bigint: true });
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return { kind: "absent" };
    throw error;
  }
  const [stamp, inode] = [stampOf(stats), inodeOf(stats)];
  const reason = findFileProblem(stats, maxBytes);
  return reason === undefined
    ? { kind: "file", stamp, inode, isTouched: stats.atimeNs === stats.mtimeNs }
    : { kind: "refused", stamp, inode, reason };
}

/** Reads a file as it lies there, or nothing where that may not be or it is being changed. */
export async function readPlainFile(path: string, maxBytes?: number): Promise<Buffer | undefined> {
  const seen = await probeFile(path, maxBytes);
  return seen.kind === "file" ? await readUnchanged(path, seen.stamp, maxBytes) : undefined;
}

/** Reads a file that has this stamp before and after, or nothing where it is being changed. */
export async function readUnchanged(
  path: string,
  stamp: string,
  maxBytes = MAX_CONTROL_FILE_BYTES,
): Promise<Buffer | undefined> {
  await using file = await openNoWait(path, constants.O_RDONLY, "EACCES", "ENODEV");
  const stats = await file?.stat({ bigint: true });
  if (!file || !stats || !isUnchanged(stats, stamp, maxBytes)) return undefined;
  const bytes = await readAll(file, Number(stats.size));
  return stampOf(await file.stat({ bigint: true })) === stamp ? bytes : undefined;
}

/** Returns the new stamp; undefined where something else lies there by now. */
export async function eraseFile(path: string, stamp: string): Promise<string | undefined> {
  await using file = await openNoWait(path, constants.O_RDWR, "EISDIR");
  const stats = await file?.stat({ bigint: true });
  if (!file || !stats || !isUnchanged(stats, stamp, MAX_CONTROL_FILE_BYTES)) return undefined;
  // Requests are taken long before the kernel writes them to the disk, so that nothing has to be overwritten there.
  await file.truncate(0);
  return stampOf(await file.stat({ bigint: true }));
}

/** Opens a file, or nothing where it was replaced since it was looked at, or cannot be read: the next look tells. */
async function openNoWait(
  path: string,
  access: number,
  ...ignored: readonly string[]
): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK, a FIFO that was put there meanwhile would be waited for.
    return await open(path, access | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ELOOP", "ENXIO", ...ignored)) return undefined;
    throw error;
  }
}

const isUnchanged = (stats: BigIntStats, stamp: string, maxBytes: number): boolean =>
  findFileProblem(stats, maxBytes) === undefined && stampOf(stats) === stamp;

/** The part of a stamp that says which file it is, apart from what is in it. */
export const inodeOfStamp = (stamp: string): string => stamp.split(":").slice(0, 2).join(":");

export async function isEmptyFile(path: string): Promise<boolean> {
  const seen = await probeFile(path);
  return seen.kind === "file" && seen.stamp.split(":")[2] === "0";
}

/** mtime in nanoseconds. */
export const writtenAtOf = (stamp: string): bigint => BigInt(stamp.split(":")[3] ?? 0);

async function readAll(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) return undefined;
    length += bytesRead;
  }
  return bytes;
}

const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Changes with every write; not with mode or name. */
export const stampOf = (stats: BigIntStats): string =>
  `${inodeOf(stats)}:${stats.size}:${stats.mtimeNs}`;

/** Undefined when it may be read. */
function findFileProblem(stats: BigIntStats, maxBytes: number): string | undefined {
  if (stats.isSymbolicLink()) return "it is a symbolic link";
  if (!stats.isFile()) return "it is not a plain file";
  if (stats.nlink !== 1n) return "it has another name elsewhere (a hard link)";
  if (stats.size > maxBytes) return `it has more than ${maxBytes} bytes`;
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== BigInt(uid)) return "it belongs to another user";
  if ((stats.mode & OWNER_MAY_READ) === 0n) return "its owner may not read it";
  return undefined;
}
