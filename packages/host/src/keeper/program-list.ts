// What a keeper persists, so that its orphans can be found: who it is, and which programs it started.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { nowTicks } from "../pty/linux-calls.ts";
import { listProcesses } from "../pty/process-table.ts";
import { endTree, isAlive, type TreeRoot } from "../pty/process-tree.ts";
import { DEFAULT_GRACE_MS, type KillReport, type ProcessIdentity } from "../pty/pty.ts";
import { type Hello, readBootId } from "./frames.ts";
import { readCount, readString } from "./wire-fields.ts";

// Orphans of a keeper that is gone.

/** Before anything started. */
const NEVER = -1;

/** Without a boot id, a process cannot be told from a stranger. */
export const isSameBoot = ({ bootId }: { readonly bootId: string }): boolean =>
  bootId !== "" && bootId === readBootId();

/** The very process that wrote the manifest. */
export const isKeeperAlive = ({ keeper }: KeeperManifest): boolean =>
  isSameBoot(keeper) && isAlive(keeper);

/** Ends orphans; never programs of a living keeper, nor a process that is not proven to be one. */
export async function endOrphans(
  note: KeeperManifest,
  graceMs = DEFAULT_GRACE_MS,
): Promise<Pick<KillReport, "ended" | "survivors">> {
  if (!isSameBoot(note.keeper) || isKeeperAlive(note)) return { ended: 0, survivors: [] };
  const reports = await Promise.all(note.programs.map((program) => endOrphan(program, graceMs)));
  return {
    ended: reports.reduce((sum, { ended }) => sum + ended, 0),
    survivors: reports.flatMap(({ survivors }) => survivors),
  };
}

async function endOrphan({ id, leader }: ListedProgram, graceMs: number): Promise<KillReport> {
  const root: TreeRoot = {
    leader,
    marker: id,
    leaderGoneAtTicks: (await isSessionOurs({ id, leader })) ? nowTicks() : NEVER,
  };
  return await endTree(() => root, graceMs);
}

/**
 * The kernel reuses a session id only when its last member is gone. So the session is ours while its leader lives or a
 * member carries our marker; otherwise it may be a stranger's.
 */
async function isSessionOurs({ id, leader }: ListedProgram): Promise<boolean> {
  if (isAlive(leader)) return true;
  const processes = await listProcesses();
  return processes.some(
    (one) =>
      one.session === leader.pid && one.startTicks >= leader.startTicks && one.marker() === id,
  );
}

const MODE = 0o600;

/** Lines about forgotten programs before the file is rewritten. */
const MAX_USELESS_LINES = 1000;

export interface ListedProgram {
  /** Also in the environment of everything that the program starts. */
  readonly id: string;
  readonly leader: ProcessIdentity;
}

export interface KeeperIdentity extends Pick<Hello, "pid" | "startTicks" | "bootId" | "version"> {
  readonly socketPath?: string;
  readonly wireVersion?: number;
}

export interface KeeperManifest {
  readonly keeper: KeeperIdentity;
  readonly programs: readonly ListedProgram[];
}

/** Persists a keeper's programs, one line per change. */
export class ProgramList {
  readonly #path: string;
  readonly #keeper: KeeperIdentity;
  readonly #report: (error: unknown) => void;
  readonly #programs = new Map<string, ListedProgram>();
  #file: number | undefined;
  #uselessLines = 0;
  /** The file lists every program. */
  #isWhole = false;

  /** Replaces an earlier keeper's file. Write errors are reported and stop nobody. */
  constructor(path: string, keeper: KeeperIdentity, report: (error: unknown) => void) {
    this.#path = path;
    this.#keeper = keeper;
    this.#report = report;
    this.#write(() => this.#begin());
  }

  add({ id, leader: { pid, startTicks } }: ListedProgram): void {
    const program = { id, leader: { pid, startTicks } };
    this.#programs.set(id, program);
    this.#change(program);
  }

  remove(id: string): void {
    if (!this.#programs.delete(id)) return;
    this.#uselessLines += 2;
    this.#change({ id, isGone: true });
  }

  /** The keeper exits in order: no orphans. */
  clear(): void {
    this.#write(() => rmSync(this.#path, { force: true }));
  }

  #begin(): void {
    this.#uselessLines = 0;
    const place = `${this.#path}.${process.pid}`;
    const file = openSync(place, "w", MODE);
    try {
      const lines = [{ keeper: this.#keeper }, ...this.#programs.values()];
      writeAll(file, lines.map(formatLine).join(""));
      renameSync(place, this.#path);
    } catch (error) {
      closeSync(file);
      rmSync(place, { force: true });
      throw error;
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = file;
    this.#isWhole = true;
  }

  /** After a failed write, such as on a full disk, the file is rewritten. */
  #change(line: object): void {
    const file = this.#uselessLines > MAX_USELESS_LINES || !this.#isWhole ? undefined : this.#file;
    this.#write(() => (file === undefined ? this.#begin() : writeAll(file, formatLine(line))));
  }

  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#isWhole = false;
      this.#report(error);
    }
  }
}

/** A write may be partial where the disk is nearly full. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Undefined when there was none, or it exited in order. */
export function readKeeperManifest(path: string): KeeperManifest | undefined {
  let keeper: KeeperIdentity | undefined;
  const programs = new Map<string, ListedProgram>();
  for (const line of readLines(path)) {
    try {
      const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (fields["keeper"] !== undefined) keeper = readIdentity(fields["keeper"]);
      else if (fields["isGone"] === true) programs.delete(readString(fields["id"], "id"));
      else programs.set(readString(fields["id"], "id"), readProgram(fields));
    } catch {
      // A half-written last line is ignored.
    }
  }
  return keeper && { keeper, programs: [...programs.values()] };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch {
    return []; // Missing or unreadable: nothing is known, and nothing is ended.
  }
}

function readIdentity(value: unknown): KeeperIdentity {
  const fields = { ...(value as object) } as Readonly<Record<string, unknown>>;
  const { socketPath, wireVersion } = fields;
  return {
    ...readProcessIdentity(fields),
    bootId: readString(fields["bootId"], "bootId"),
    version: readString(fields["version"], "version"),
    ...(typeof socketPath === "string" ? { socketPath } : {}),
    ...(typeof wireVersion === "number" ? { wireVersion } : {}),
  };
}

function readProgram(fields: Readonly<Record<string, unknown>>): ListedProgram {
  const leader = { ...(fields["leader"] as object) };
  return { id: readString(fields["id"], "id"), leader: readProcessIdentity(leader) };
}

function readProcessIdentity(fields: Readonly<Record<string, unknown>>): ProcessIdentity {
  return {
    pid: readCount(fields["pid"], "pid"),
    startTicks: readCount(fields["startTicks"], "startTicks"),
  };
}

const formatLine = (value: object): string => `${JSON.stringify(value)}\n`;
