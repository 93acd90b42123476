import { randomUUID } from "node:crypto";
import { type FileHandle, open, statfs, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";

/** As much of the disk is left alone as the recorder leaves alone. */
const FLOOR_BYTES = 64 * 1024 * 1024;

/** How often the disk is looked at. */
const SPACE_CHECK_BYTES = 8 * 1024 * 1024;

/** Bytes from somewhere else on their way into a recording: a file without a name, so that nothing is left of it whatever happens. */
export class Spool implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #directory: string;

  private constructor(file: FileHandle, directory: string) {
    this.#file = file;
    this.#directory = directory;
  }

  /** Takes all pieces, each once the one before is written. */
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
      throw isNoSpace(error) ? noSpaceError(error) : error;
    }
  }

  /** What threads of this process read it by, from its beginning. */
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
      // A file may take less than it is given.
      for (let done = 0; done < piece.byteLength;) {
        done += (await this.#file.write(piece, done)).bytesWritten;
      }
    }
  }
}

const isNoSpace = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");

const noSpaceError = (cause?: unknown): NacreError =>
  new NacreError("recording_blocked", "the disk has no room for what is to be imported", {
    ...(cause === undefined ? {} : { cause }),
    suggestion: "Make room, such as by pruning recordings, and import again.",
  });
