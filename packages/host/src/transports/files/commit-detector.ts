// When a control file counts as a request: when renamed into place, or when complete and unchanged for a while.
import { createHash } from "node:crypto";
import {
  eraseFile,
  inodeOfStamp,
  type FileProbe,
  probeFile,
  readUnchanged,
} from "./control-file.ts";
import type { ControlLimits } from "./control-limits.ts";

/** A JSON object, only white space, something else, or an unreadable file. */
export type Commit =
  | { readonly kind: "object"; readonly text: string }
  | { readonly kind: "empty" }
  | { readonly kind: "noObject" }
  | { readonly kind: "refused"; readonly reason: string };

type Content = Exclude<Commit, { kind: "refused" }>;

interface Pending {
  /** Distinguishes it from what lies there next. */
  readonly key: string;
  readonly sinceMs: number;
  read?: { readonly content: Content; readonly digest: string } | undefined;
}

/** Delay before a file that changed while it was read is read again. */
const SOON_MS = 5;

export interface PollOptions {
  readonly path: string;
  readonly nowMs: number;
  /** Without room nothing is taken. */
  readonly hasRoom: boolean;
}

/** One control file: tells what was committed in it, each write once. */
export class CommitDetector {
  readonly #limits: Pick<ControlLimits, "stableMs" | "incompleteMs">;
  #pending: Pending | undefined;
  #taken: string | undefined;
  /** Content of the last one taken. */
  #takenDigest: string | undefined;
  /** Refused already; not again while it lies there. */
  #refused: string | undefined;
  /** A file taken the moment it appeared: within the timestamp granularity another write could look the same. */
  #confirm: { readonly atMs: number; readonly digest: string } | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(limits: Pick<ControlLimits, "stableMs" | "incompleteMs">) {
    this.#limits = limits;
  }

  get taken(): string | undefined {
    return this.#taken;
  }

  /** When to look again without an event. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /** What has this stamp counts as taken; without one, whatever lies there now. */
  async reset(path: string, taken?: string): Promise<void> {
    this.#pending = undefined;
    this.#refused = undefined;
    this.#confirm = undefined;
    const seen = await probeFile(path);
    this.#taken = taken ?? (seen.kind === "absent" ? undefined : seen.stamp);
    const isThere = seen.kind === "file" && seen.stamp === this.#taken;
    this.#takenDigest = isThere ? (await readContent(path, seen.stamp))?.digest : undefined;
  }

  /** Returns the stamp of the empty file, which counts as taken. */
  async erase(path: string, stamp: string): Promise<string | undefined> {
    if (this.#taken !== stamp) return undefined;
    this.#confirm = undefined;
    const erased = await eraseFile(path, stamp);
    if (erased !== undefined && this.#taken === stamp) this.#taken = erased;
    return erased;
  }

  /** The result counts as taken. */
  async poll(options: PollOptions): Promise<Commit | undefined> {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const seen = await probeFile(options.path);
    if (seen.kind === "absent") {
      this.#pending = undefined;
      this.#refused = undefined;
      return undefined;
    }
    if (seen.kind === "refused") return this.#refuse(seen, options);
    this.#refused = undefined;
    if (seen.stamp === this.#taken) {
      this.#pending = undefined;
      if (!(await this.#hasChanged(seen.stamp, options))) return undefined;
      this.#taken = undefined;
    }
    return await this.#consider(seen, options);
  }

  #refuse(
    { stamp, inode, reason }: Extract<FileProbe, { kind: "refused" }>,
    { nowMs, hasRoom }: PollOptions,
  ): Commit | undefined {
    const key = `${inode} ${reason}`;
    // A taken request that got a hard link or another owner is not a new one.
    if (key === this.#refused || stamp === this.#taken) return undefined;
    if (this.#pending?.key !== key) this.#pending = { key, sinceMs: nowMs };
    if (!this.#hasWaited(this.#limits.stableMs, nowMs) || !hasRoom) return undefined;
    this.#pending = undefined;
    this.#refused = key;
    this.#taken = stamp;
    this.#takenDigest = undefined;
    return { kind: "refused", reason };
  }

  async #consider(
    { stamp, inode, isTouched }: Extract<FileProbe, { kind: "file" }>,
    { path, nowMs, hasRoom }: PollOptions,
  ): Promise<Commit | undefined> {
    if (this.#pending?.key !== stamp) this.#pending = { key: stamp, sinceMs: nowMs };
    const pending = this.#pending;
    pending.read ??= await readContent(path, stamp);
    if (pending.read === undefined) {
      this.#dueAtMs = nowMs + SOON_MS;
      return undefined;
    }
    const { content, digest } = pending.read;
    const { stableMs, incompleteMs } = this.#limits;
    // A prefix of a JSON object is never one, so a complete one in a new file is all there will be.
    const isNew = this.#taken === undefined || inodeOfStamp(this.#taken) !== inode;
    if (isTouched && !isNew && digest === this.#takenDigest) {
      this.#pending = undefined;
      this.#taken = stamp;
      return undefined;
    }
    const waitMs = content.kind !== "object" ? incompleteMs : isNew ? 0 : stableMs;
    if (!this.#hasWaited(waitMs, nowMs) || !hasRoom) return undefined;
    this.#pending = undefined;
    this.#taken = stamp;
    this.#takenDigest = digest;
    this.#confirm = waitMs === 0 ? { atMs: nowMs + stableMs, digest } : undefined;
    if (this.#confirm) this.#dueAtMs = this.#confirm.atMs;
    return content;
  }

  /** Otherwise schedules another look. */
  #hasWaited(waitMs: number, nowMs: number): boolean {
    const readyAtMs = (this.#pending?.sinceMs ?? nowMs) + waitMs;
    if (nowMs >= readyAtMs) return true;
    this.#dueAtMs = readyAtMs;
    return false;
  }

  /** A file with the same stamp but other content. */
  async #hasChanged(stamp: string, { path, nowMs }: PollOptions): Promise<boolean> {
    const confirm = this.#confirm;
    if (!confirm) return false;
    if (nowMs < confirm.atMs) {
      this.#dueAtMs = confirm.atMs;
      return false;
    }
    this.#confirm = undefined;
    const again = await readContent(path, stamp);
    return again !== undefined && again.digest !== confirm.digest;
  }
}

async function readContent(path: string, stamp: string): Promise<Pending["read"]> {
  const bytes = await readUnchanged(path, stamp);
  if (!bytes) return undefined;
  return { content: parseContent(bytes), digest: createHash("sha256").update(bytes).digest("hex") };
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function parseContent(bytes: Uint8Array): Content {
  try {
    const text = strictUtf8.decode(bytes).trim();
    if (text === "") return { kind: "empty" };
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { kind: "object", text } : { kind: "noObject" };
  } catch {
    // Half of a JSON text, or none: time tells.
    return { kind: "noObject" };
  }
}
