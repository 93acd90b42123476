import { randomUUID } from "node:crypto";
import { type FileHandle, open, statfs, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  NacreError,
  TerminalId,
  type TerminalOwnerReference,
  type TerminalStorage,
} from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import type { ImportedFact } from "./formats/cast-facts.ts";
import type { CastHeader } from "./formats/cast-header.ts";
import type { ImportOutcome } from "./formats/import-asciicast.ts";
import type { Moment, Recording } from "./recording.ts";
import type { ImportStep } from "./reader-tasks.ts";

/** The recorder's reserve. */
const FLOOR_BYTES = 64 * 1024 * 1024;

/** Interval of free-space checks. */
const SPACE_CHECK_BYTES = 8 * 1024 * 1024;

/** An upload on its way into a recording: an unlinked file, so that nothing is left of it whatever happens. */
export class Spool implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #directory: string;

  private constructor(file: FileHandle, directory: string) {
    this.#file = file;
    this.#directory = directory;
  }

  /** Backpressure: each chunk is written before the next is taken. */
  static async of(pieces: AsyncIterable<Uint8Array>, directory = tmpdir()): Promise<Spool> {
    const path = join(directory, `import-${randomUUID()}`);
    const file = await open(path, "wx+", 0o600);
    const spool = new Spool(file, directory);
    try {
      await unlink(path);
      await spool.#fill(pieces);
      return spool;
    } catch (error) {
      await file.close();
      throw hasErrno(error, "ENOSPC", "EDQUOT") ? noSpaceError(error) : error;
    }
  }

  /** For threads of this process; reads from the beginning. */
  get descriptor(): number {
    return this.#file.fd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #fill(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    let unlooked = SPACE_CHECK_BYTES;
    for await (const piece of pieces) {
      unlooked += piece.byteLength;
      if (unlooked >= SPACE_CHECK_BYTES) {
        unlooked = 0;
        const { bavail, bsize } = await statfs(this.#directory);
        if (bavail * bsize < FLOOR_BYTES + SPACE_CHECK_BYTES) throw noSpaceError();
      }
      // A write may be partial.
      for (let done = 0; done < piece.byteLength;) {
        done += (await this.#file.write(piece, done)).bytesWritten;
      }
    }
  }
}

const noSpaceError = (cause?: unknown): NacreError =>
  new NacreError("recording_blocked", "the disk has no room for what is to be imported", {
    ...(cause === undefined ? {} : { cause }),
    suggestion: "Make room, such as by pruning recordings, and import again.",
  });

export interface ImportOptions {
  readonly owner: TerminalOwnerReference;
  readonly workingDirectory: string;
  /** Refuses a damaged file completely, instead of reading it up to the damage. */
  readonly whole?: boolean;
  progress?(entries: number): void;
}

/** A file, or a stream of bytes. */
export type ImportInput = ImportOptions &
  ({ readonly path: string } | { readonly pieces: AsyncIterable<Uint8Array> });

/** The new terminal, and whether the file was valid to its end. */
export interface ImportResult {
  readonly id: TerminalId;
  readonly entries: number;
  readonly outcome: ImportOutcome;
}

interface Terminals {
  create(row: TerminalStorage): Promise<Recording>;
  remove(id: TerminalId): Promise<unknown>;
}

/** Labels have at most this many characters; titles may have more. */
const MAX_NAME_LENGTH = 256;

/** Creates an ended terminal from the import's steps. */
export async function importRecording(
  steps: AsyncGenerator<ImportStep>,
  input: ImportOptions & Terminals,
): Promise<ImportResult> {
  const made: TerminalId[] = [];
  const create = (row: TerminalStorage): Promise<Recording> => {
    made.push(row.id);
    return input.create(row);
  };
  try {
    return await importSteps(steps, { ...input, create });
  } catch (error) {
    // Half a terminal would look like a whole one.
    for (const id of made) await input.remove(id).catch(() => undefined);
    throw error;
  }
}

async function importSteps(
  steps: AsyncGenerator<ImportStep>,
  input: ImportOptions & Pick<Terminals, "create">,
): Promise<ImportResult> {
  let recording: Recording | undefined;
  let startedAt = Date.now();
  let entries = 0;
  let outcome: ImportOutcome = { complete: false, line: 0, reason: "the file ended" };
  const momentOf = (elapsedMs: number): Moment => ({ at: startedAt + elapsedMs, elapsedMs });
  const append = async ({ fact, elapsedMs }: ImportedFact): Promise<void> => {
    await recording?.appendAt(fact, momentOf(elapsedMs));
  };
  for await (const step of steps) {
    switch (step.kind) {
      case "header":
        startedAt = step.header.occurredAtMs ?? startedAt;
        recording = await input.create(createTerminalRow(step.header, startedAt, input));
        await recording.appendAt({ type: "header", ...step.header.size }, momentOf(0));
        entries++;
        break;
      case "facts":
        await Promise.all(step.facts.map(append));
        entries += step.facts.length;
        input.progress?.(entries);
        break;
      case "outcome":
        outcome = step.outcome;
        if (input.whole === true && !outcome.complete) throw damagedCastError(outcome);
    }
  }
  if (!recording) throw new Error("an import begins with a header");
  await recording.seal();
  return { id: recording.terminalId, entries, outcome };
}

const damagedCastError = ({
  line,
  reason,
}: Extract<ImportOutcome, { complete: false }>): NacreError =>
  new NacreError("invalid_argument", `line ${line}: ${reason}`, {
    details: { line },
    suggestion: "Give a cast that is whole; nothing of this one is kept.",
  });

function createTerminalRow(
  header: CastHeader,
  createdAt: number,
  input: ImportOptions,
): TerminalStorage {
  const { title, command } = header;
  return {
    id: TerminalId.parse(`terminal:${randomUUID()}`),
    owner: input.owner,
    workingDirectory: input.workingDirectory,
    ...(title ? { name: title.slice(0, MAX_NAME_LENGTH).toWellFormed() } : {}),
    ...(command ? { command } : {}),
    createdAt: new Date(createdAt).toISOString(),
  };
}
