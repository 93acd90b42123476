/** Files that only we can read or write; symlinks are never followed. */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { diskFullError, isOutOfSpace } from "../base/disk-full.ts";
import { hasErrno } from "../base/errno.ts";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** More than all tokens of a host; a larger file is not ours. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Refuses a symlink, another user's directory, or one open to others. */
export function requirePrivateDirectory(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw refused(path, "does not exist", "Create it with mode 0700.");
  if (stats.isSymbolicLink())
    throw refused(path, "is a symbolic link", "Name the directory itself.");
  if (!stats.isDirectory()) throw refused(path, "is not a directory", "Name a directory.");
  requireOurs(path, stats, "Make it yours alone with `chmod 700`.");
}

/**
 * Undefined when there is none. Anything but a plain file of ours alone is refused, and never followed, waited for or
 * changed.
 */
export function readPrivateFile(path: string): string | undefined {
  const fd = openPlain(path);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    requirePlain(path, stats);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    while (length < bytes.byteLength) {
      const count = readSync(fd, bytes, length, bytes.byteLength - length, length);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(fd);
  }
}

/** Atomic: readers, also after a crash, see the old text or the new one. */
export function writePrivateFile(path: string, text: string): void {
  requirePrivateDirectory(dirname(path));
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined) requirePlain(path, present);
  try {
    replaceFile(path, text);
  } catch (error) {
    throw isOutOfSpace(error) ? diskFullError(error, path) : error;
  }
}

function replaceFile(path: string, text: string): void {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}`);
  const fd = openSync(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    OWNER_ONLY,
  );
  try {
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
}

function openPlain(path: string): number | undefined {
  try {
    // O_NONBLOCK: a planted FIFO would block the process.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    if (hasErrno(error, "ELOOP")) throw refused(path, "is a symbolic link", REMOVE_IT);
    if (hasErrno(error, "ENXIO")) throw refused(path, "is not a plain file", REMOVE_IT);
    throw error;
  }
}

const REMOVE_IT = "Find out who put it there, then remove it.";

function requirePlain(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw refused(path, "is a symbolic link", REMOVE_IT);
  if (!stats.isFile()) throw refused(path, "is not a plain file", REMOVE_IT);
  if (stats.nlink !== 1) throw refused(path, "has another name elsewhere (a hard link)", REMOVE_IT);
  if (stats.size > MAX_FILE_BYTES) throw refused(path, `has ${stats.size} bytes`, REMOVE_IT);
  requireOurs(path, stats, "Make it yours alone with `chmod 600`, and rotate what is in it.");
}

function requireOurs(path: string, stats: Stats, suggestion: string): void {
  // Systems without uids have no such modes either; there the user's own directory has to do.
  const uid = process.getuid?.();
  if (uid === undefined) return;
  if (stats.uid !== uid) throw refused(path, `belongs to user ${stats.uid}`, suggestion);
  if ((stats.mode & OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
    throw refused(path, `has mode ${mode}, so that others can reach it`, suggestion);
  }
}

/** A rename survives a power cut only when the directory is synced, too. */
function syncDirectory(path: string): void {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const refused = (path: string, problem: string, suggestion: string): NacreError =>
  new NacreError("unavailable", `${path} ${problem}; refusing to use it`, { suggestion });
